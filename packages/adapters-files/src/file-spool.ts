import { createHash, randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { Spool, Spooled } from '@doska/core/feeds';
import {
  unavailable,
  type BlobHash,
  type BlobSourceFailed,
  type BlobTooLarge,
  type Unavailable,
} from '@doska/core/kernel';
import { ResultAsync } from 'neverthrow';

class TooLarge extends Error {}
class SourceFailed extends Error {}

/** Nothing is on its way for so long: its process died. */
const ABANDONED_MS = 24 * 3_600_000;
const sweep = async (dir: string): Promise<void> => {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const found = await stat(path).catch(() => undefined);
    if (found && Date.now() - found.mtimeMs > ABANDONED_MS) await rm(path, { force: true });
  }
};

/** Keeps streams as files of a folder while they are on their way. Several processes may share the folder. */
export const fileSpool = (dir: string): Spool => {
  let ready: Promise<void> | undefined;
  const save = async (chunks: AsyncIterable<Uint8Array>, bytesMax: number): Promise<Spooled> => {
    await (ready ??= sweep(dir));
    const path = join(dir, randomUUID());
    const discard = () => rm(path, { force: true });
    const digest = createHash('sha256');
    let bytes = 0;
    const counted = async function* () {
      try {
        for await (const chunk of chunks) {
          bytes += chunk.length;
          if (bytes > bytesMax) throw new TooLarge();
          digest.update(chunk);
          yield chunk;
        }
      } catch (cause) {
        throw cause instanceof TooLarge ? cause : new SourceFailed('the source failed', { cause });
      }
    };
    try {
      await pipeline(
        Readable.from(counted(), { objectMode: false }),
        createWriteStream(path, { mode: 0o600 }),
      );
    } catch (cause) {
      await discard();
      throw cause;
    }
    return { hash: digest.digest('hex') as BlobHash, bytes, read: () => createReadStream(path), discard };
  };
  return {
    spool: (chunks, { bytesMax }) =>
      ResultAsync.fromPromise(
        save(chunks, bytesMax),
        (cause): BlobTooLarge | BlobSourceFailed | Unavailable => {
          if (cause instanceof TooLarge) return { kind: 'BlobTooLarge', bytesMax };
          if (cause instanceof SourceFailed) return { kind: 'BlobSourceFailed', cause: cause.cause };
          return unavailable('spool', cause);
        },
      ),
  };
};
