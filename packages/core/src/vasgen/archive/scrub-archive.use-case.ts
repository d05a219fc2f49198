import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { BlobStore, Clock, Codec, Ids, Unavailable } from '../../kernel/index.ts';
import { deleteCondemned } from '../../kernel/index.ts';
import type { IndexedDocument } from '../document/indexed-document.ts';
import type { ClientName } from '../document/raw-document.ts';
import {
  ARCHIVE_AREA,
  type ArchivedRecord,
  type ArchiveSegment,
  type SegmentRow,
} from './archive-segment.ts';
import { MANIFEST_ROWS_MAX, type ArchiveManifest } from './archive-manifest.port.ts';
import { asUnavailable, putSegment, readSegment } from './segments.store.ts';

export type ScrubArchiveNeeds = {
  readonly manifest: ArchiveManifest;
  readonly blobs: Pick<BlobStore, 'put' | 'read' | 'delete'>;
  readonly segments: Codec<ArchiveSegment>;
  readonly records: Codec<IndexedDocument>;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly erasuresKeptMs: number;
};
export type Scrubbed = { readonly segments: number; readonly records: number };
/** Takes records of erased documents out of the archive. */
export type ScrubArchive = (client: ClientName, signal: AbortSignal) => ResultAsync<Scrubbed, Unavailable>;

/**
 * Whether a record must leave. A document that was composed after its erasure was made anew and stays. A record that can't
 * be read leaves, because it may hold a body.
 */
export const isErased = (
  { key, value }: ArchivedRecord,
  erasedAtMs: ReadonlyMap<string, number>,
  records: Codec<IndexedDocument>,
): boolean => {
  const atMs = erasedAtMs.get(key);
  if (atMs === undefined) return false;
  const read = records.decode(value);
  if (read.isErr()) return true;
  return read.value.document !== undefined && read.value.place.timestampMs <= atMs;
};

/**
 * A segment is rewritten before its row names the new bytes, and the old bytes are condemned by the same commit, so
 * a crash leaves either the old segment, which is scrubbed again, or a condemned one, which the next run deletes.
 */
export const makeScrubArchive = (needs: ScrubArchiveNeeds): ScrubArchive => {
  const { manifest, blobs, segments, records, ids, clock, erasuresKeptMs } = needs;
  const allErasures = async (
    client: ClientName,
  ): Promise<Result<ReadonlyMap<string, number>, Unavailable>> => {
    const found = new Map<string, number>();
    for (let after: string | undefined; ;) {
      const page = await manifest.erasures(client, {
        limit: MANIFEST_ROWS_MAX,
        ...(after === undefined ? {} : { after }),
      });
      if (page.isErr()) return err(page.error);
      for (const { pk, atMs } of page.value) found.set(pk, atMs);
      if (page.value.length < MANIFEST_ROWS_MAX) return ok(found);
      after = page.value.at(-1)!.pk;
    }
  };
  /** Returns how many records it took out. */
  const scrubOne = async (
    row: SegmentRow,
    erasedAtMs: ReadonlyMap<string, number>,
    nowMs: number,
  ): Promise<Result<number, Unavailable>> => {
    const segment = await readSegment(blobs, segments, row);
    if (segment.isErr()) return err(asUnavailable(segment.error));
    const kept = segment.value.records.filter((record) => !isErased(record, erasedAtMs, records));
    const out = segment.value.records.length - kept.length;
    if (out === 0) return (await manifest.scrubbed(row, row.hash, nowMs)).map(() => 0);
    const content = await putSegment(blobs, segments, { ...segment.value, name: ids.next(), records: kept });
    if (content.isErr()) return err(content.error);
    const replaced = await manifest.replace(row, row.hash, content.value, nowMs);
    if (replaced.isOk()) return ok(out);
    // Refused: another run was first, and its bytes stand.
    return replaced.error.kind === 'Unavailable' ? err(replaced.error) : ok(0);
  };
  const scrub = async (client: ClientName, signal: AbortSignal): Promise<Result<Scrubbed, Unavailable>> => {
    const startedAtMs = clock.nowMs();
    const erased = await allErasures(client);
    if (erased.isErr()) return err(erased.error);
    let done = 0;
    let out = 0;
    const newestMs = Math.max(-1, ...erased.value.values());
    while (newestMs >= 0 && !signal.aborted) {
      const page = await manifest.unscrubbed(client, newestMs + 1, MANIFEST_ROWS_MAX);
      if (page.isErr()) return err(page.error);
      if (page.value.length === 0) break;
      for (const row of page.value) {
        if (signal.aborted) break;
        const scrubbed = await scrubOne(row, erased.value, Math.max(startedAtMs, newestMs + 1));
        if (scrubbed.isErr()) return err(scrubbed.error);
        done++;
        out += scrubbed.value;
      }
    }
    const forgotten = await manifest.forgetErasures(client, startedAtMs - erasuresKeptMs, MANIFEST_ROWS_MAX);
    if (forgotten.isErr()) return err(forgotten.error);
    const gone = await deleteCondemned(manifest, blobs, ARCHIVE_AREA);
    return gone.map(() => ({ segments: done, records: out }));
  };
  return (client, signal) => new ResultAsync(scrub(client, signal));
};
