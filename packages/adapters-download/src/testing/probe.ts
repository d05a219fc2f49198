import {
  DownloadInterrupted,
  type Downloaded,
  type DownloadError,
  type DownloadLimits,
} from '@doska/core/kernel';
import type { Result } from 'neverthrow';
import type { Resolve } from '../address/target.ts';

/** Limits that no test of something else meets. */
export const generous: DownloadLimits = {
  bytesMax: 10_000_000,
  decodedBytesMax: 10_000_000,
  totalMs: 60_000,
  connectMs: 50_000,
  idleMs: 50_000,
  redirectsMax: 5,
};

/** A resolver that knows these names only; others fail as the system's does. */
export const resolving =
  (names: Readonly<Record<string, readonly string[]>>): Resolve =>
  async (host) => {
    const addresses = names[host];
    if (!addresses) throw Object.assign(new Error(`no ${host}`), { code: 'ENOTFOUND' });
    return addresses;
  };

export const bodyOf = (fetched: Result<Downloaded, DownloadError>): AsyncIterable<Uint8Array> => {
  const downloaded = fetched._unsafeUnwrap();
  if (downloaded.kind !== 'content') throw new Error('no content');
  return downloaded.body;
};
export const textOf = async (fetched: Result<Downloaded, DownloadError>): Promise<string> => {
  const chunks: Uint8Array[] = [];
  for await (const chunk of bodyOf(fetched)) chunks.push(chunk);
  return Buffer.concat(chunks).toString();
};
/** How a download failed, before or within its body. */
export const failureIn = async (fetched: Result<Downloaded, DownloadError>): Promise<DownloadError> => {
  if (fetched.isErr()) return fetched.error;
  try {
    await textOf(fetched);
  } catch (cause) {
    if (cause instanceof DownloadInterrupted) return cause.error;
    throw cause;
  }
  throw new Error('the download did not fail');
};
