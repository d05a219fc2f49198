import { ExportServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/export_service';
import type { ParkedRecord } from '@doska/core/gost';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

export type ToldParkedRecord = Pick<ParkedRecord, 'topic' | 'key' | 'atUs' | 'bytes' | 'reason'>;
/** What the command line asks of the export. */
export interface ExportClient {
  parked(key: string): ResultAsync<readonly ToldParkedRecord[], RpcError>;
  /** Returns how many records were put back into the export. */
  sendAgain(asked: { readonly key: string; readonly all: boolean }): ResultAsync<number, RpcError>;
}

const DEADLINE_MS = 30_000;

export const exportClient = (channel: GrpcChannel): ExportClient => {
  const client = channel.client(ExportServiceDefinition);
  return {
    parked: (key) =>
      client.listParkedRecords({ key }, { deadlineMs: DEADLINE_MS }).map(({ records }) =>
        records.map(({ topic, key: of, atUs, bytes, reason }) => ({
          topic,
          key: of,
          atUs: Number(atUs),
          bytes: Number(bytes),
          reason,
        })),
      ),
    sendAgain: (asked) =>
      client.sendParkedRecords(asked, { deadlineMs: DEADLINE_MS }).map(({ records }) => records),
  };
};
