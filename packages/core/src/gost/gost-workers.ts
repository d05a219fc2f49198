import {
  makeSweepSegments,
  type JobSpec,
  type RecordHandler,
  type ShardWork,
  type SweepSegments,
} from '../kernel/index.ts';
import { makeArchiveDueOffers, type ArchiveDueOffers } from './archive/archive-due-offers.use-case.ts';
import { makeArchiveShard } from './archive/archive-shard.worker.ts';
import { sweepSegmentsJob } from './archive/sweep-segments.job.ts';
import { ARCHIVE_AREA, UNNAMED_SPACE } from './archive/segments.store.ts';
import { makeApplyFeedMessage, type ApplyFeedMessage } from './autoload/apply-feed-message.use-case.ts';
import { makeConsumeFeedMessages } from './autoload/consume-feed-messages.use-case.ts';
import { auditCountsJob } from './cabinet/audit-counts.job.ts';
import { purgeDraftsJob } from './drafts/purge-drafts.job.ts';
import { makePurgeDrafts, type PurgeDrafts } from './drafts/purge-drafts.use-case.ts';
import { makeExpireDueOffers, type ExpireDueOffers } from './expiry/expire-due-offers.use-case.ts';
import { makeExpireShard } from './expiry/expire-shard.worker.ts';
import { makeExportShard } from './export/export-shard.worker.ts';
import type { GostUseCases } from './gost-use-cases.ts';
import { makeConsumeOpinions } from './moderation/consume-opinions.use-case.ts';
import type { GostNeeds } from './gost-needs.ts';
import { makeConsumePhotoResults } from './photos/consume-photo-results.use-case.ts';

export type GostWorkers = {
  /** Each runs on leased shards, `settings.shards` of them. */
  readonly exportShard: ShardWork;
  readonly expireShard: ShardWork;
  /** Undefined if the archive is switched off. */
  readonly archiveShard: ShardWork | undefined;
  /** Handlers of `feed-offers`, `moderation-opinions` and `photo-results`. */
  readonly consumeFeedMessages: RecordHandler;
  readonly consumeOpinions: RecordHandler;
  readonly consumePhotoResults: RecordHandler;
  readonly auditCounts: JobSpec;
  readonly purgeDrafts: JobSpec;
  readonly sweepArchive: JobSpec;
};

/** One step of each worker: a batch, a slice or a message. */
export type WorkerSteps = {
  readonly applyFeedMessage: ApplyFeedMessage;
  readonly expireDue: ExpireDueOffers;
  readonly archiveDue: ArchiveDueOffers;
  readonly purgeDrafts: PurgeDrafts;
  readonly sweepSegments: SweepSegments;
};
export const makeWorkerSteps = (
  needs: GostNeeds,
  { changeOffers }: Pick<GostUseCases, 'changeOffers'>,
): WorkerSteps => ({
  applyFeedMessage: makeApplyFeedMessage(needs),
  expireDue: makeExpireDueOffers({ timers: needs.timers, changeOffers, clock: needs.clock }),
  archiveDue: makeArchiveDueOffers({ ...needs, codec: needs.codecs.archived }),
  purgeDrafts: makePurgeDrafts(needs),
  sweepSegments: makeSweepSegments({
    ...needs,
    area: ARCHIVE_AREA,
    space: UNNAMED_SPACE,
    graceMs: needs.settings.archive.graceMs,
  }),
});

export const makeGostWorkers = (
  { bell, cabinet, clock, codecs, feeds, log, queue, random, settings, storage, telemetry }: GostNeeds,
  { changeOffer }: Pick<GostUseCases, 'changeOffer'>,
  { applyFeedMessage, expireDue, archiveDue, purgeDrafts, sweepSegments }: WorkerSteps,
): GostWorkers => {
  const consumed = telemetry.metrics.counter({
    name: 'doska_gost_heard_total',
    help: 'Records of other systems that were applied, by outcome.',
    labels: ['flow', 'outcome'],
  });
  const { afterUs, everyMs, batch, sweepEveryMs } = settings.archive;
  return {
    exportShard: makeExportShard({ queue, bell, log, clock, random, telemetry, settings: settings.export }),
    expireShard: makeExpireShard({ expireDue, clock, telemetry, everyMs: settings.expireEveryMs }),
    archiveShard:
      afterUs === undefined ? undefined : makeArchiveShard({ archiveDue, clock, telemetry, everyMs, batch }),
    consumeFeedMessages: makeConsumeFeedMessages({
      applyFeedMessage,
      codec: codecs.feedOffers,
      onOutcome: (outcome) => consumed.add(1, { flow: 'feeds', outcome }),
    }),
    consumeOpinions: makeConsumeOpinions({
      changeOffer,
      codec: codecs.opinions,
      onOutcome: (outcome) => consumed.add(1, { flow: 'moderation', outcome }),
    }),
    consumePhotoResults: makeConsumePhotoResults({
      changeOffer,
      codec: codecs.photoResults,
      onOutcome: (outcome) => consumed.add(1, { flow: 'photos', outcome }),
    }),
    auditCounts: auditCountsJob({ cabinet, storage, telemetry, settings: settings.audit }),
    purgeDrafts: purgeDraftsJob({ purgeDrafts, feeds, clock, settings }),
    sweepArchive: sweepSegmentsJob(sweepSegments, sweepEveryMs, telemetry.metrics),
  };
};
