import { err, ok } from 'neverthrow';
import type { JobSpec } from '../../kernel/index.ts';
import type { ForgetPhotos } from './forget-photos.ts';
import type { PhotoMemory } from './photo-memory.ts';

const SECOND_MS = 1_000;
const HOUR_MS = 3_600_000;
/** The queue of unused photos has this many time slots per grace time. */
const SLOTS = 24;

/** Deletes entries of the download memory that are too old to be used. */
export const sweepMemoryJob = (memory: PhotoMemory): JobSpec => ({
  name: 'photo-memory-sweep',
  everyMs: HOUR_MS,
  run: async ({ signal }) => {
    const swept = await memory.sweep(signal);
    return swept.isOk()
      ? ok(`${swept.value} forgotten`)
      : err({ kind: 'JobFailed', reason: swept.error.what });
  },
});

/** Deletes photos that no offer has used for the grace time. */
export const forgetPhotosJob = (forget: ForgetPhotos, graceMs: number): JobSpec => ({
  name: 'photo-forgetting',
  // Once per time slot of the queue.
  everyMs: Math.min(HOUR_MS, Math.max(SECOND_MS, Math.floor(graceMs / SLOTS))),
  run: async ({ signal }) => {
    const looked = await forget(signal);
    return looked.isOk()
      ? ok(`${looked.value} looked at`)
      : err({ kind: 'JobFailed', reason: looked.error.what });
  },
});
