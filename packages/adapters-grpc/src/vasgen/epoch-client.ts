import { EpochServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/epoch_service';
import type { ClientName, DeclaredPlans, Epoch, EpochCommand, IndexSchema } from '@doska/core/vasgen';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { commands, epochsFromPb, fieldsToPb, plansToPb } from './epochs.mapper.ts';
import type { EpochCommand as PbCommand } from '@doska/adapters-proto/generated/doska/vasgen/v1/epoch_service';

/** The epochs of a client over the network. */
export interface EpochClient {
  get(client: ClientName): ResultAsync<readonly Epoch[], RpcError>;
  declare(
    client: ClientName,
    epoch: number,
    fields: IndexSchema,
    plans: DeclaredPlans,
  ): ResultAsync<void, RpcError>;
  /** `isForced`: a promotion does not wait until the epoch has caught up. */
  change(
    client: ClientName,
    command: EpochCommand,
    options?: { readonly isForced?: boolean },
  ): ResultAsync<readonly Epoch[], RpcError>;
}

const DEADLINE_MS = 30_000;

export const epochClient = (channel: GrpcChannel): EpochClient => {
  const epochs = channel.client(EpochServiceDefinition);
  const options = { deadlineMs: DEADLINE_MS };
  return {
    get: (client) => epochs.getEpochs({ client }, options).map((answer) => epochsFromPb(answer.epochs)),
    declare: (client, epoch, fields, plans) =>
      epochs
        .declareFields(
          { client, epoch: BigInt(epoch), fields: fieldsToPb(fields), plans: plansToPb(plans) },
          options,
        )
        .map(() => undefined),
    change: (client, command, { isForced = false } = {}) =>
      epochs
        .changeEpochs({ client, command: commands.toPb(command) as PbCommand, force: isForced }, options)
        .map((answer) => epochsFromPb(answer.epochs)),
  };
};
