import {
  catalogCachePart,
  holdingPart,
  settleExportShards,
  Tokens,
  topicSpec,
  type App,
} from '@doska/app-composition';
import { FEED_PHOTO_ERRORS, FEED_RESULTS, OFFER_UPDATES } from '@doska/core/gost';
import { deadTopicSpec } from '@doska/core/kernel';
import { PHOTO_REQUESTS } from '@doska/core/photos';
import { archiveWork } from './archive-work.ts';
import { auditJob } from './audit-job.ts';
import { expiryWork } from './expiry-work.ts';
import { CONSUMED, flowParts } from './flow-parts.ts';
import { exportWork } from './export-work.ts';
import { purgeJob } from './purge-job.ts';
import { sweepJob } from './sweep-job.ts';

const NAME = 'gost-scheduler';

/** What the offer store does by itself. Start as many as you like: shards and jobs are shared out by leases. */
export const gostScheduler: App = {
  name: NAME,
  summary:
    'Exports every change of an offer, loads feeds, hears moderation and photos, expires, archives, counts anew, purges.',
  topics: (config) => {
    const read = CONSUMED.map((topic) => topicSpec(config, topic));
    const written = [OFFER_UPDATES, FEED_RESULTS, FEED_PHOTO_ERRORS, PHOTO_REQUESTS];
    return [...read, ...read.map(deadTopicSpec), ...written.map((topic) => topicSpec(config, topic))];
  },
  prepare: settleExportShards,
  parts: (container) => {
    const { shards } = container.get(Tokens.gostSettings);
    const [leases, jobs] = [container.get(Tokens.leases), container.get(Tokens.jobs)];
    const [audit, purge, sweep] = [auditJob(container), purgeJob(container), sweepJob(container)];
    const { archiveDays } = container.get(Tokens.config);
    const archive = holdingPart(NAME, 'gost-archive', () =>
      leases.hold({ set: 'gost-archive', shards, work: archiveWork(container) }),
    );
    return [
      catalogCachePart(NAME, container),
      holdingPart(NAME, 'gost-export', () =>
        leases.hold({ set: 'gost-export', shards, work: exportWork(container) }),
      ),
      holdingPart(NAME, 'gost-expiry', () =>
        leases.hold({ set: 'gost-expiry', shards, work: expiryWork(container) }),
      ),
      ...(archiveDays > 0 ? [archive] : []),
      ...flowParts(NAME, container),
      holdingPart(NAME, audit.name, () => jobs.start(audit)),
      holdingPart(NAME, purge.name, () => jobs.start(purge)),
      holdingPart(NAME, sweep.name, () => jobs.start(sweep)),
    ];
  },
};
