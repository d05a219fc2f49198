import { QueueServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/queue_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, type Access, type InvalidInput } from '@doska/core/kernel';
import { REGISTRY_ROWS_MAX, type ParkedCursor, type VasgenUseCases } from '@doska/core/vasgen';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { locatedToPb } from './located.mapper.ts';
import { clientFromPb, epochFromPb, vasgenErrors, withMessage } from './vasgen-errors.ts';

export type QueueServiceNeeds = Pick<VasgenUseCases, 'repairQueues' | 'locateDocument'>;
const trusted: Access = { roles: ['service', 'operator'] };
const PAGE_SIZE = 100;

const pageText = ({ epoch, pk }: ParkedCursor): string => `${epoch}/${pk}`;
const pageFromText = (text: string): Result<ParkedCursor | undefined, InvalidInput> => {
  if (text === '') return ok(undefined);
  const [, epoch, pk] = /^(\d{1,15})\/([\s\S]{1,512})$/.exec(text) ?? [];
  return epoch !== undefined && pk !== undefined
    ? ok({ epoch: Number(epoch), pk })
    : err(
        invalidInput({
          path: 'page_token',
          code: 'Malformed',
          message: 'use the next_page_token of an earlier answer',
        }),
      );
};
const pageSizeOf = (size: number): Result<number, InvalidInput> =>
  size <= REGISTRY_ROWS_MAX
    ? ok(size === 0 ? PAGE_SIZE : size)
    : err(invalidInput({ path: 'page_size', code: 'Range', message: `at most ${REGISTRY_ROWS_MAX}` }));

export const queueService = ({ repairQueues, locateDocument }: QueueServiceNeeds): RpcService =>
  rpcService({
    definition: QueueServiceDefinition,
    access: { listFailed: trusted, locateDocument: trusted, replayFailed: trusted, resend: trusted },
    errors: vasgenErrors,
    handlers: {
      listFailed: ({ client: name, pageSize, pageToken }) =>
        clientFromPb(name)
          .andThen((client) => pageSizeOf(pageSize).map((limit) => ({ client, limit })))
          .andThen((asked) => pageFromText(pageToken).map((after) => ({ ...asked, after })))
          .asyncAndThen(({ client, limit, after }) =>
            new ResultAsync(repairQueues.failed(client, { limit, ...(after && { after }) })).map((found) => ({
              documents: found.map(({ epoch, pk, version, timestampMs, failure }) => ({
                epoch: BigInt(epoch),
                pk,
                version: BigInt(version),
                timestampMs: BigInt(timestampMs),
                queue: failure.queue,
                reason: failure.reason,
                attempts: failure.attempts,
              })),
              nextPageToken: found.length === limit ? pageText(found.at(-1)!) : '',
            })),
          ),
      locateDocument: ({ client: name, pk }) =>
        clientFromPb(name)
          .andThen((client) =>
            pk === ''
              ? err(invalidInput({ path: 'pk', code: 'Missing', message: 'the key of a document' }))
              : ok(client),
          )
          .asyncAndThen((client) => new ResultAsync(locateDocument(client, pk)))
          .map(locatedToPb)
          .mapErr(withMessage),
      replayFailed: ({ client: name, pks, dryRun }) =>
        clientFromPb(name)
          .asyncAndThen((client) => new ResultAsync(repairQueues.replay(client, pks, dryRun)))
          .map((documents) => ({
            documents: documents.map(({ epoch, pk, reason = '' }) => ({ epoch: BigInt(epoch), pk, reason })),
          }))
          .mapErr(withMessage),
      resend: ({ client: name, epoch, pks, sinceMs, cursor }) =>
        clientFromPb(name)
          .andThen((client) => epochFromPb(epoch).map((asked) => ({ client, asked })))
          .asyncAndThen(({ client, asked }) =>
            pks.length > 0
              ? new ResultAsync(repairQueues.resend(client, asked, pks)).map((documents) => ({
                  documents: BigInt(documents),
                  nextCursor: '',
                }))
              : new ResultAsync(
                  repairQueues.resendAll(client, { epoch: asked, sinceMs: Number(sinceMs), cursor }),
                ).map(({ documents, next = '' }) => ({ documents: BigInt(documents), nextCursor: next })),
          )
          .mapErr(withMessage),
    },
  });
