import { err, ok } from 'neverthrow';
import type { JobSpec, Metrics, SweepSegments } from '../../kernel/index.ts';

/** Deletes segments that no offer needs. It also runs while archiving is off: earlier segments may be left. */
export const sweepSegmentsJob = (sweep: SweepSegments, everyMs: number, metrics: Metrics): JobSpec => {
  const swept = metrics.counter({
    name: 'doska_gost_archive_swept_total',
    help: 'Unused segments of the archive that were deleted.',
  });
  return {
    name: 'gost-archive-sweep',
    everyMs,
    run: async ({ signal }) => {
      const done = await sweep(signal);
      if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
      const { segments, unnamed, deleted } = done.value;
      swept.add(deleted);
      return ok(`${segments} segments, ${unnamed} unused, ${deleted} deleted`);
    },
  };
};
