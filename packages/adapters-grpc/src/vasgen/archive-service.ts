import { ArchiveServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/archive_service';
import { indexedToPb } from '@doska/adapters-proto';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, type Access, type InvalidInput } from '@doska/core/kernel';
import {
  MANIFEST_ROWS_MAX,
  type ClientName,
  type SegmentCursor,
  type SegmentKey,
  type SegmentRow,
  type VasgenUseCases,
} from '@doska/core/vasgen';
import { err, ok, type Result } from 'neverthrow';
import { archiveErrors, clientFromPb, epochFromPb, withMessage } from './vasgen-errors.ts';

export type ArchiveServiceNeeds = Pick<VasgenUseCases, 'archive'>;
const trusted: Access = { roles: ['service', 'operator'] };
const PAGE_SIZE = 100;

const idOf = ({ partition, fromOffset, log }: Omit<SegmentKey, 'client'>): string =>
  `${partition}/${fromOffset}/${log}`;
const keyFromId = (client: ClientName, id: string): Result<SegmentKey, InvalidInput> => {
  const [, partition, fromOffset, log] = /^(\d{1,9})\/(\d{1,15})\/([\s\S]{1,512})$/.exec(id) ?? [];
  return log === undefined
    ? err(invalidInput({ path: 'id', code: 'Malformed', message: 'use the id of a listed segment' }))
    : ok({ client, log, partition: Number(partition), fromOffset: Number(fromOffset) });
};
const tokenOf = (row: SegmentRow): string => `${row.toMs}/${idOf(row)}`;
const cursorFromToken = (
  client: ClientName,
  token: string,
): Result<SegmentCursor | undefined, InvalidInput> => {
  if (token === '') return ok(undefined);
  const [, toMs, id = ''] = /^(\d{1,15})\/([\s\S]+)$/.exec(token) ?? [];
  return keyFromId(client, id)
    .map((key) => ({ ...key, toMs: Number(toMs) }))
    .mapErr(() =>
      invalidInput({
        path: 'page_token',
        code: 'Malformed',
        message: 'use the next_page_token of an earlier answer',
      }),
    );
};
type AskedWindow = { readonly client: string; readonly fromMs: bigint; readonly toMs: bigint };
type Window = { readonly client: ClientName; readonly fromMs: number; readonly toMs: number };
const moment = (value: bigint, path: string): Result<number, InvalidInput> =>
  value >= 0n && value <= BigInt(Number.MAX_SAFE_INTEGER)
    ? ok(Number(value))
    : err(invalidInput({ path, code: 'Range', message: 'milliseconds since 1970, from 0 to 2^53 - 1' }));
const windowFromPb = ({ client, fromMs, toMs }: AskedWindow): Result<Window, InvalidInput> =>
  clientFromPb(client).andThen((name) =>
    moment(fromMs, 'from_ms').andThen((from) =>
      moment(toMs, 'to_ms').andThen((to) => {
        const end = to === 0 ? Number.MAX_SAFE_INTEGER : to;
        return from <= end
          ? ok({ client: name, fromMs: from, toMs: end })
          : err(invalidInput({ path: 'to_ms', code: 'Range', message: 'not before from_ms' }));
      }),
    ),
  );

export const archiveService = ({ archive }: ArchiveServiceNeeds): RpcService =>
  rpcService({
    definition: ArchiveServiceDefinition,
    access: { listSegments: trusted, readSegment: trusted, replaySegment: trusted },
    errors: archiveErrors,
    handlers: {
      listSegments: (asked) =>
        windowFromPb(asked)
          .andThen((window) => {
            const limit = asked.pageSize === 0 ? PAGE_SIZE : asked.pageSize;
            return limit <= MANIFEST_ROWS_MAX
              ? ok({ window, limit })
              : err(
                  invalidInput({ path: 'page_size', code: 'Range', message: `at most ${MANIFEST_ROWS_MAX}` }),
                );
          })
          .andThen(({ window, limit }) =>
            cursorFromToken(window.client, asked.pageToken).map((after) => ({ window, limit, after })),
          )
          .asyncAndThen(({ window: { client, fromMs, toMs }, limit, after }) =>
            archive.list(client, { fromMs, toMs, limit, ...(after && { after }) }).map((rows) => ({
              segments: rows.map((row) => ({
                id: idOf(row),
                partition: row.partition,
                fromOffset: BigInt(row.fromOffset),
                toOffset: BigInt(row.toOffset),
                fromMs: BigInt(row.fromMs),
                toMs: BigInt(row.toMs),
                records: row.records,
                bytes: BigInt(row.bytes),
              })),
              nextPageToken: rows.length === limit ? tokenOf(rows.at(-1)!) : '',
            })),
          ),
      readSegment: async function* ({ client, id }) {
        const key = clientFromPb(client).andThen((name) => keyFromId(name, id));
        const records = key.isErr() ? err(key.error) : await archive.read(key.value);
        if (records.isErr()) {
          yield err(withMessage(records.error));
          return;
        }
        for (const { offset, timestampMs, record } of records.value)
          yield ok({
            offset: BigInt(offset),
            timestampMs: BigInt(timestampMs),
            record: indexedToPb(record),
          });
      },
      replaySegment: (asked) =>
        windowFromPb(asked)
          .andThen((window) =>
            epochFromPb(asked.epoch).andThen((epoch) =>
              cursorFromToken(window.client, asked.pageToken).map((after) => ({ window, epoch, after })),
            ),
          )
          .asyncAndThen(({ window: { client, fromMs, toMs }, epoch, after }) =>
            archive
              .list(client, { fromMs, toMs, limit: 1, ...(after && { after }) })
              .andThen(([row]) =>
                row
                  ? archive
                      .replay(client, row, { fromMs, toMs, epoch })
                      .map((documents) => ({ documents: BigInt(documents), nextPageToken: tokenOf(row) }))
                  : ok({ documents: 0n, nextPageToken: '' }),
              ),
          )
          .mapErr(withMessage),
    },
  });
