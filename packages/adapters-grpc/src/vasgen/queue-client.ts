import { QueueServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/queue_service';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { locatedFromPb, type ToldLocation } from './located.mapper.ts';

export type ToldFailure = {
  readonly epoch: number;
  readonly pk: string;
  readonly queue: string;
  readonly reason: string;
  readonly attempts: number;
};
export type ToldReplay = { readonly epoch: number; readonly pk: string; readonly reason: string };
export type ResentSlice = { readonly documents: number; readonly nextCursor: string };
/** What the command line asks of the queues. */
export interface QueueClient {
  locate(client: string, pk: string): ResultAsync<ToldLocation, RpcError>;
  failed(
    client: string,
    pageToken: string,
  ): ResultAsync<{ documents: readonly ToldFailure[]; next: string }, RpcError>;
  replay(
    client: string,
    pks: readonly string[],
    dryRun: boolean,
  ): ResultAsync<readonly ToldReplay[], RpcError>;
  resend(
    client: string,
    asked: { readonly pks: readonly string[]; readonly sinceMs: number; readonly cursor: string },
  ): ResultAsync<ResentSlice, RpcError>;
}

const DEADLINE_MS = 30_000;

export const queueClient = (channel: GrpcChannel): QueueClient => {
  const queues = channel.client(QueueServiceDefinition);
  const options = { deadlineMs: DEADLINE_MS };
  return {
    locate: (client, pk) => queues.locateDocument({ client, pk }, options).map(locatedFromPb),
    failed: (client, pageToken) =>
      queues
        .listFailed({ client, pageSize: 1_000, pageToken }, options)
        .map(({ documents, nextPageToken }) => ({
          documents: documents.map(({ epoch, pk, queue, reason, attempts }) => ({
            epoch: Number(epoch),
            pk,
            queue,
            reason,
            attempts,
          })),
          next: nextPageToken,
        })),
    replay: (client, pks, dryRun) =>
      queues
        .replayFailed({ client, pks: [...pks], dryRun }, options)
        .map(({ documents }) =>
          documents.map(({ epoch, pk, reason }) => ({ epoch: Number(epoch), pk, reason })),
        ),
    resend: (client, { pks, sinceMs, cursor }) =>
      queues
        .resend({ client, epoch: 0n, pks: [...pks], sinceMs: BigInt(sinceMs), cursor }, options)
        .map(({ documents, nextCursor }) => ({ documents: Number(documents), nextCursor })),
  };
};
