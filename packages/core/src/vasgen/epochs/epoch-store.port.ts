import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { EpochSchema } from '../schema/epoch-schema.ts';
import type { ClientEpochs, EpochStates } from './epoch.ts';

/** The client was made with another number of shards. Documents would change their shard, and so lose their order. */
export type ShardsMismatch = {
  readonly kind: 'ShardsMismatch';
  readonly client: ClientName;
  readonly stored: number;
  readonly configured: number;
};
export type UnknownClient = { readonly kind: 'UnknownClient'; readonly client: string };
/** The epochs are not at the version that the change was decided on; nothing was written. */
export type EpochsMoved = { readonly kind: 'EpochsMoved'; readonly client: ClientName };
/** The schema of the epoch does not have the number below, or the epoch is not living; nothing was written. */
export type SchemaNotNext = { readonly kind: 'SchemaNotNext'; readonly epoch: number };

/** Clients, their living epochs and the schemas of these. A read sees every commit that was answered before it began. */
export interface EpochStore {
  /** Makes the client with epoch 1 serving, if it is not there. */
  ensureClient(client: ClientName, shards: number): ResultAsync<void, ShardsMismatch | Unavailable>;
  load(client: ClientName): ResultAsync<ClientEpochs, UnknownClient | Unavailable>;
  /**
   * Sets the living epochs and their states. A new epoch has an empty schema; one that is left out is gone, and no
   * document of it is accepted from then on.
   */
  change(
    client: ClientName,
    fromVersion: number,
    to: EpochStates,
  ): ResultAsync<void, EpochsMoved | UnknownClient | Unavailable>;
  /** Stores a declared growth of a schema. */
  grow(client: ClientName, epoch: number, to: EpochSchema): ResultAsync<void, SchemaNotNext | Unavailable>;
}
