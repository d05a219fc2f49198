import { err, ok } from 'neverthrow';
import {
  makeSweepSegments,
  type BlobStore,
  type Clock,
  type GenericStorage,
  type JobSpec,
  type Metrics,
} from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import { ARCHIVE_AREA } from './archive-segment.ts';
import type { ArchiveManifest } from './archive-manifest.port.ts';
import type { ArchiveSettings } from './archive-topic.worker.ts';
import type { ScrubArchive } from './scrub-archive.use-case.ts';

/** Segments that a sweep found unnamed, and when it first did. */
const UNNAMED_SPACE = 'vasgen.archive-unnamed';

export type ArchiveJobsNeeds = {
  readonly manifest: ArchiveManifest;
  readonly blobs: BlobStore;
  readonly storage: GenericStorage;
  readonly clock: Clock;
  readonly scrubArchive: ScrubArchive;
  readonly clients: readonly ClientName[];
  readonly settings: ArchiveSettings;
  readonly metrics: Metrics;
};

export const archiveJobs = (needs: ArchiveJobsNeeds): readonly JobSpec[] => {
  const { manifest, blobs, storage, clock, scrubArchive, clients, settings, metrics } = needs;
  const { scrubEveryMs, sweepEveryMs, graceMs } = settings;
  const sweep = makeSweepSegments({
    archive: manifest,
    area: ARCHIVE_AREA,
    space: UNNAMED_SPACE,
    blobs,
    storage,
    clock,
    graceMs,
  });
  const erased = metrics.counter({
    name: 'doska_vasgen_archive_erased_total',
    help: 'Records of erased documents that were taken out of the archive.',
    labels: ['client'],
  });
  return [
    {
      name: 'vasgen-archive-scrub',
      everyMs: scrubEveryMs,
      run: async ({ signal }) => {
        let segments = 0;
        let records = 0;
        for (const client of clients) {
          const done = await scrubArchive(client, signal);
          if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
          segments += done.value.segments;
          records += done.value.records;
          erased.add(done.value.records, { client });
        }
        return ok(`${records} records of ${segments} segments were taken out`);
      },
    },
    {
      name: 'vasgen-archive-sweep',
      everyMs: sweepEveryMs,
      run: async ({ signal }) => {
        const done = await sweep(signal);
        if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
        const { segments, unnamed, deleted } = done.value;
        return ok(`${segments} segments, ${unnamed} unused, ${deleted} deleted`);
      },
    },
  ];
};
