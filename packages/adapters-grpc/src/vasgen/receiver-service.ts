import { documentFromPb, verdictToPb } from '@doska/adapters-proto';
import type { RawDocument } from '@doska/adapters-proto/generated/doska/vasgen/v1/document';
import type { PushBatchResponse } from '@doska/adapters-proto/generated/doska/vasgen/v1/receiver_service';
import { ReceiverServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/receiver_service';
import { rpcService, type DomainError, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, mayPublish, type Access, type Caller } from '@doska/core/kernel';
import { REGISTRY_ROWS_MAX, type VasgenUseCases } from '@doska/core/vasgen';
import { err, type Result } from 'neverthrow';
import { clientFromPb, vasgenErrors, withMessage } from './vasgen-errors.ts';

export type ReceiverServiceNeeds = Pick<VasgenUseCases, 'receiveDocuments'>;

const publishers: Access = { roles: ['service', 'publisher'] };
const mayPush = (caller: Caller, client: string): boolean =>
  caller.roles.some(({ name }) => name === 'service') || mayPublish(caller, client);

type Push = { readonly client: string; readonly documents: readonly RawDocument[]; readonly bulk: boolean };

export const receiverService = ({ receiveDocuments }: ReceiverServiceNeeds): RpcService => {
  const push = async (
    { client: name, documents, bulk }: Push,
    caller: Caller,
  ): Promise<Result<PushBatchResponse, DomainError>> => {
    const client = clientFromPb(name);
    if (client.isErr()) return err(client.error);
    if (!mayPush(caller, client.value))
      return err({
        kind: 'NotYours',
        message: `client: the token does not allow documents of ${name}`,
      } as DomainError);
    if (documents.length > REGISTRY_ROWS_MAX)
      return err(
        invalidInput({
          path: 'documents',
          code: 'TooMany',
          message: `at most ${REGISTRY_ROWS_MAX} documents in one batch`,
        }),
      );
    const verdicts = await receiveDocuments(
      client.value,
      documents.map(documentFromPb),
      bulk ? 'bulk' : 'main',
    );
    return verdicts.map((all) => ({ verdicts: all.map(verdictToPb) })).mapErr(withMessage);
  };
  return rpcService({
    definition: ReceiverServiceDefinition,
    access: { pushBatch: publishers, pushStream: publishers },
    errors: vasgenErrors,
    handlers: {
      pushBatch: (request, { caller }) => push(request, caller),
      pushStream: async function* (requests, { caller }) {
        for await (const request of requests) {
          const answer = await push(request, caller);
          yield answer;
          if (answer.isErr()) return;
        }
      },
    },
  });
};
