import {
  catalogCachePart,
  holdingPart,
  settleExportShards,
  Tokens,
  topicSpec,
  type App,
} from '@doska/app-composition';
import { OFFER_UPDATES } from '@doska/core/gost';
import { auditJob } from './audit-job.ts';
import { expiryWork } from './expiry-work.ts';
import { exportWork } from './export-work.ts';
import { purgeJob } from './purge-job.ts';

const NAME = 'gost-scheduler';

/** What the offer store does by itself. Start as many as you like: shards and jobs are shared out by leases. */
export const gostScheduler: App = {
  name: NAME,
  summary: 'Exports every change of an offer, expires what has run out, counts anew, purges old drafts.',
  topics: (config) => [topicSpec(config, OFFER_UPDATES)],
  prepare: settleExportShards,
  parts: (container) => {
    const { shards } = container.get(Tokens.gostSettings);
    const [leases, jobs] = [container.get(Tokens.leases), container.get(Tokens.jobs)];
    const [audit, purge] = [auditJob(container), purgeJob(container)];
    return [
      catalogCachePart(NAME, container),
      holdingPart(NAME, 'gost-export', () =>
        leases.hold({ set: 'gost-export', shards, work: exportWork(container) }),
      ),
      holdingPart(NAME, 'gost-expiry', () =>
        leases.hold({ set: 'gost-expiry', shards, work: expiryWork(container) }),
      ),
      holdingPart(NAME, audit.name, () => jobs.start(audit)),
      holdingPart(NAME, purge.name, () => jobs.start(purge)),
    ];
  },
};
