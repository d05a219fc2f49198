import { Tokens } from '@doska/app-composition';
import { makeSweepSegments } from '@doska/core/gost';
import type { JobSpec } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok } from 'neverthrow';

/** Deletes segments of the archive that are nobody's. Also when nothing is archived any more: some may be left. */
export const sweepJob = (container: Container): JobSpec => {
  const { archiveSweepMs: everyMs, archiveGraceMs: graceMs } = container.get(Tokens.config);
  const swept = container.get(Tokens.telemetry).metrics.counter({
    name: 'doska_gost_archive_swept_total',
    help: 'Segments of the archive that were nobody’s and were deleted.',
  });
  const sweep = makeSweepSegments({
    ...{ archive: container.get(Tokens.gostStores).archive, blobs: container.get(Tokens.blobs) },
    ...{ storage: container.get(Tokens.storage), clock: container.get(Tokens.clock), graceMs },
  });
  return {
    name: 'gost-archive-sweep',
    everyMs,
    run: async ({ signal }) => {
      const done = await sweep(signal);
      if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
      const { segments, unnamed, deleted } = done.value;
      swept.add(deleted);
      return ok(`${segments} segments, ${unnamed} nobody’s, ${deleted} deleted`);
    },
  };
};
