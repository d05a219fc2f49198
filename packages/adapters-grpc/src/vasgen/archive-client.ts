import { indexedFromPb } from '@doska/adapters-proto';
import { ArchiveServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/archive_service';
import type { IndexedDocument } from '@doska/core/vasgen';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

export type ToldSegment = {
  readonly id: string;
  readonly records: number;
  readonly bytes: number;
  readonly fromMs: number;
  readonly toMs: number;
};
export type ToldRecord = {
  readonly offset: number;
  readonly timestampMs: number;
  /** Undefined if this client can't read it. */
  readonly record: IndexedDocument | undefined;
};
export type AskedWindow = { readonly fromMs: number; readonly toMs: number };
/** What the command line asks of the archive. */
export interface ArchiveClient {
  list(
    client: string,
    window: AskedWindow,
    pageToken: string,
  ): ResultAsync<{ readonly segments: readonly ToldSegment[]; readonly next: string }, RpcError>;
  read(client: string, id: string): AsyncIterable<Result<ToldRecord, RpcError>>;
  replay(
    client: string,
    window: AskedWindow & { readonly epoch: number },
    pageToken: string,
  ): ResultAsync<{ readonly documents: number; readonly next: string }, RpcError>;
}

const DEADLINE_MS = 60_000;

export const archiveClient = (channel: GrpcChannel): ArchiveClient => {
  const archive = channel.client(ArchiveServiceDefinition);
  const options = { deadlineMs: DEADLINE_MS };
  return {
    list: (client, { fromMs, toMs }, pageToken) =>
      archive
        .listSegments(
          { client, fromMs: BigInt(fromMs), toMs: BigInt(toMs), pageSize: 1_000, pageToken },
          options,
        )
        .map(({ segments, nextPageToken }) => ({
          segments: segments.map(({ id, records, bytes, fromMs: from, toMs: to }) => ({
            id,
            records,
            bytes: Number(bytes),
            fromMs: Number(from),
            toMs: Number(to),
          })),
          next: nextPageToken,
        })),
    read: async function* (client, id) {
      for await (const told of archive.readSegment({ client, id }, options)) {
        if (told.isErr()) {
          yield err(told.error);
          return;
        }
        const { offset, timestampMs, record } = told.value;
        const read = record && indexedFromPb(record);
        yield ok({
          offset: Number(offset),
          timestampMs: Number(timestampMs),
          record: read?.isOk() ? read.value : undefined,
        });
      }
    },
    replay: (client, { fromMs, toMs, epoch }, pageToken) =>
      archive
        .replaySegment(
          { client, fromMs: BigInt(fromMs), toMs: BigInt(toMs), epoch: BigInt(epoch), pageToken },
          options,
        )
        .map(({ documents, nextPageToken }) => ({ documents: Number(documents), next: nextPageToken })),
  };
};
