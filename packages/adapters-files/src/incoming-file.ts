import { createHash, randomUUID } from 'node:crypto';
import { mkdir, open, rename, rm, type FileHandle } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import type { BlobHash, BlobSourceFailed, BlobTooLarge } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

export type IncomingFile = { readonly path: string; readonly hash: BlobHash; readonly bytes: number };

const writeAll = async (file: FileHandle, chunk: Uint8Array): Promise<void> => {
  for (let at = 0; at < chunk.length;) at += (await file.write(chunk, at)).bytesWritten;
};

/** Writes the chunks to a temporary file and syncs it. On any error it removes the file. */
export const receive = async (
  folder: string,
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): Promise<Result<IncomingFile, BlobTooLarge | BlobSourceFailed>> => {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const path = join(folder, `${process.pid}-${randomUUID()}.part`);
  const file = await open(path, 'wx', 0o600);
  const source = chunks[Symbol.asyncIterator]();
  const hash = createHash('sha256');
  let bytes = 0;
  let kept = false;
  try {
    for (;;) {
      let next: IteratorResult<Uint8Array>;
      try {
        next = await source.next();
      } catch (cause) {
        return err({ kind: 'BlobSourceFailed', cause });
      }
      if (next.done) break;
      bytes += next.value.length;
      if (bytes > bytesMax) {
        await source.return?.();
        return err({ kind: 'BlobTooLarge', bytesMax });
      }
      hash.update(next.value);
      await writeAll(file, next.value);
    }
    await file.sync();
    kept = true;
    return ok({ path, hash: hash.digest('hex') as BlobHash, bytes });
  } catch (cause) {
    // The disk failed, not the source. The source must still be told to stop.
    await source.return?.().catch(() => undefined);
    throw cause;
  } finally {
    await file.close();
    if (!kept) await rm(path, { force: true });
  }
};

const syncDirectory = async (path: string): Promise<void> => {
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
};

/** Renames the received file in one step. A name is durable only after its directory is synced, so directories are synced too. */
export const publish = async (from: string, to: string): Promise<void> => {
  const folder = dirname(to);
  const created = await mkdir(folder, { recursive: true, mode: 0o700 });
  await rename(from, to);
  await syncDirectory(folder);
  // Always synced: another writer may have created the folder and not synced it yet.
  await syncDirectory(dirname(folder));
  if (created !== undefined) {
    await syncDirectory(dirname(dirname(folder)));
    await syncDirectory(dirname(dirname(dirname(folder))));
  }
};
