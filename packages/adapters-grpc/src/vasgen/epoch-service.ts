import { EpochServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/epoch_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, mayPublish, type Access, type Caller } from '@doska/core/kernel';
import type { ClientName, VasgenUseCases } from '@doska/core/vasgen';
import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import { commands, epochsToPb, fieldsFromPb, plansFromPb, schemaToPb } from './epochs.mapper.ts';
import { clientFromPb, epochFromPb, vasgenErrors, withMessage } from './vasgen-errors.ts';

export type EpochServiceNeeds = Pick<VasgenUseCases, 'epochs'>;

const readers: Access = { roles: ['service', 'operator', 'publisher'] };
const operators: Access = { roles: ['operator'] };

type NotYours = { readonly kind: 'NotYours'; readonly message: string };
/** Services and operators see every client, publishers their own. */
const ownClient = (caller: Caller, client: ClientName): Result<ClientName, NotYours> =>
  caller.roles.some(({ name }) => name === 'service' || name === 'operator') || mayPublish(caller, client)
    ? ok(client)
    : err({ kind: 'NotYours', message: `client: the token does not allow ${client}` });

const unknownCommand = invalidInput({ path: 'command', code: 'Unknown', message: 'not a command of epochs' });
const noEpoch = invalidInput({ path: 'epoch', code: 'Missing', message: 'name the epoch' });

export const epochService = ({ epochs }: EpochServiceNeeds): RpcService =>
  rpcService({
    definition: EpochServiceDefinition,
    access: { getEpochs: readers, declareFields: readers, changeEpochs: operators },
    errors: vasgenErrors,
    handlers: {
      getEpochs: ({ client }, { caller }) =>
        clientFromPb(client)
          .andThen((name) => ownClient(caller, name))
          .asyncAndThen((name) => new ResultAsync(epochs.get(name)))
          .map((known) => ({ epochs: epochsToPb(known) }))
          .mapErr(withMessage),
      declareFields: ({ client, epoch, fields, plans }, { caller }) =>
        clientFromPb(client)
          .andThen((name) => ownClient(caller, name))
          .andThen((name) => epochFromPb(epoch).map((asked) => ({ name, asked })))
          .andThen(({ name, asked }) => fieldsFromPb(fields).map((specs) => ({ name, asked, specs })))
          .asyncAndThen(({ name, asked, specs }) =>
            asked === undefined
              ? errAsync(noEpoch)
              : new ResultAsync(epochs.declareFields(name, asked, specs, plansFromPb(plans))),
          )
          .map((schema) => ({ schema: schemaToPb(schema) }))
          .mapErr(withMessage),
      changeEpochs: ({ client, command, force }) =>
        clientFromPb(client)
          .andThen((name) => {
            const known = commands.fromPb(command);
            return known ? ok({ name, known }) : err(unknownCommand);
          })
          .asyncAndThen(({ name, known }) => new ResultAsync(epochs.change(name, known, { isForced: force })))
          .map((known) => ({ epochs: epochsToPb(known) }))
          .mapErr(withMessage),
    },
  });
