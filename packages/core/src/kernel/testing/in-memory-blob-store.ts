import { createHash } from 'node:crypto';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import {
  BLOB_PAGE_MAX,
  resolveRange,
  type BlobArea,
  type BlobDigest,
  type BlobHash,
  type BlobNotFound,
  type BlobRef,
  type BlobSourceFailed,
  type BlobStore,
  type BlobTooLarge,
} from '../ports/blob-store.port.ts';
import { direct, type Io } from './io.ts';

/** The durable half: content by area and hash. A stored array is never changed. */
export type BlobServer = { readonly areas: Map<BlobArea, Map<BlobHash, Uint8Array>> };
export const blobDigest: BlobDigest = (content) =>
  createHash('sha256').update(content).digest('hex') as BlobHash;
export const blobServer = (): BlobServer => ({ areas: new Map() });

const collect = (
  chunks: AsyncIterable<Uint8Array>,
  bytesMax: number,
): ResultAsync<Uint8Array, BlobTooLarge | BlobSourceFailed> => {
  const gather = async (): Promise<Uint8Array | undefined> => {
    const parts: Uint8Array[] = [];
    let bytes = 0;
    for await (const chunk of chunks) {
      bytes += chunk.length;
      if (bytes > bytesMax) return undefined;
      parts.push(Uint8Array.from(chunk));
    }
    return Uint8Array.from(Buffer.concat(parts));
  };
  return ResultAsync.fromPromise(gather(), (cause): BlobTooLarge | BlobSourceFailed => ({
    kind: 'BlobSourceFailed',
    cause,
  })).andThen((content) =>
    content ? ok(content) : err<never, BlobTooLarge>({ kind: 'BlobTooLarge', bytesMax }),
  );
};

async function* inChunks(content: Uint8Array): AsyncIterable<Uint8Array> {
  for (let at = 0; at < content.length; at += 65_536) yield content.slice(at, at + 65_536);
}

export const inMemoryBlobStore = (server: BlobServer = blobServer(), io: Io = direct): BlobStore => {
  const contentOf = (area: BlobArea, hash: BlobHash): Uint8Array | undefined =>
    server.areas.get(area)?.get(hash);
  const refTo = (area: BlobArea, hash: BlobHash, content: Uint8Array): BlobRef => ({
    area,
    hash,
    bytes: content.length,
  });
  return {
    put: (area, chunks, { bytesMax }) =>
      collect(chunks, bytesMax).andThen((content) => {
        const hash = blobDigest(content);
        return io({ name: 'blobs.commit', args: { area, hash }, resendable: true }, () => {
          const blobs = server.areas.get(area) ?? new Map<BlobHash, Uint8Array>();
          server.areas.set(area, blobs.set(hash, content));
          return ok(refTo(area, hash, content));
        });
      }),
    read: ({ area, hash }, { range } = {}) =>
      io({ name: 'blobs.read', args: { area, hash, range } }, () => {
        const content = contentOf(area, hash);
        const found: Result<Uint8Array, BlobNotFound> = content
          ? ok(content)
          : err({ kind: 'BlobNotFound', area, hash });
        return found.andThen((content) =>
          resolveRange(content.length, range).map(({ from, to }) => inChunks(content.slice(from, to))),
        );
      }),
    stat: ({ area, hash }) =>
      io({ name: 'blobs.stat', args: { area, hash } }, () => {
        const content = contentOf(area, hash);
        return content ? ok(refTo(area, hash, content)) : err({ kind: 'BlobNotFound' as const, area, hash });
      }),
    list: (area, { after, limit }) =>
      io({ name: 'blobs.list', args: { area, after, limit } }, () => {
        const known = [...(server.areas.get(area) ?? [])].map(([hash, content]) =>
          refTo(area, hash, content),
        );
        const wanted = known.filter(({ hash }) => after === undefined || hash > after);
        return ok(wanted.sort((a, b) => (a.hash < b.hash ? -1 : 1)).slice(0, Math.min(limit, BLOB_PAGE_MAX)));
      }),
    delete: ({ area, hash }) =>
      io({ name: 'blobs.delete', args: { area, hash }, resendable: true }, () => {
        server.areas.get(area)?.delete(hash);
        return ok(undefined);
      }),
  };
};
