import { err, ok, type Result } from 'neverthrow';
import type { Unavailable, Violation } from '../../kernel/index.ts';
import { invalidInputOf, type InvalidInput } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { IndexSchema } from '../engine/index-schema.ts';
import type { DeclaredPlans } from '../schema/declared-plan.ts';
import { declaredSchema, type EpochSchema } from '../schema/epoch-schema.ts';
import { epochOf, livingEpochs, type ClientEpochs } from './epoch.ts';
import type { EpochsMoved, EpochStore, UnknownClient } from './epoch-store.port.ts';
import type { AwaitCaughtUp } from './await-caught-up.use-case.ts';
import { changeEpochs, type EpochCommand, type EpochRefused } from './epoch-transitions.ts';
import type { KnownEpochs } from './known-epochs.use-case.ts';

export type UnknownEpoch = {
  readonly kind: 'UnknownEpoch';
  readonly epoch: number;
  readonly living: readonly number[];
};
/** The building epoch lacks documents that the serving one has, or a searcher lags behind; nothing was changed. */
export type EpochBehind = {
  readonly kind: 'EpochBehind';
  readonly epoch: number;
  readonly behind: readonly string[];
  readonly message: string;
};
export type ChangeError = EpochRefused | EpochBehind | EpochsMoved | UnknownClient | Unavailable;
export type ManageEpochs = {
  /** The living epochs with their schemas. */
  get(client: ClientName): Promise<Result<ClientEpochs, UnknownClient | Unavailable>>;
  /**
   * `promote` waits until the building epoch has caught up, and refuses after a while. `isForced` promotes it as it is:
   * searches may miss documents until it has caught up.
   */
  change(
    client: ClientName,
    command: EpochCommand,
    options?: { readonly isForced?: boolean },
  ): Promise<Result<ClientEpochs, ChangeError>>;
  /** Adds fields and plans to the schema of an epoch. What is there already is no error; a type never changes. */
  declareFields(
    client: ClientName,
    epoch: number,
    fields: IndexSchema,
    plans?: DeclaredPlans,
  ): Promise<Result<EpochSchema, InvalidInput | UnknownEpoch | UnknownClient | Unavailable>>;
};

export const makeManageEpochs = (
  store: EpochStore,
  known: KnownEpochs,
  awaitCaughtUp: AwaitCaughtUp,
): ManageEpochs => {
  /** Undefined: the epoch that is built may serve. */
  const refusal = async (
    client: ClientName,
    { epochs }: ClientEpochs,
  ): Promise<Result<EpochBehind | undefined, Unavailable>> => {
    const building = epochs.find(({ state }) => state === 'building');
    if (!building) return ok(undefined);
    const { epoch } = building;
    return (await awaitCaughtUp(client, epoch)).map((found) => {
      if (found.length === 0) return undefined;
      const behind = found.map(({ what }) => what);
      const message = `epoch ${epoch} has not caught up: ${behind.join('; ')}. Wait, or force the promotion.`;
      return { kind: 'EpochBehind', epoch, behind, message };
    });
  };
  const inEpoch = (violations: readonly Violation[], epoch: number): InvalidInput =>
    invalidInputOf(violations.map((one) => ({ ...one, message: `${one.message} (epoch ${epoch})` })));
  return {
    get: async (client) => known.reload(client),
    change: async (client, command, { isForced = false } = {}) => {
      const found = await known.reload(client);
      if (found.isErr()) return err(found.error);
      const to = changeEpochs(found.value, command);
      if (to.isErr()) return err(to.error);
      if (command === 'promote' && !isForced) {
        const refused = await refusal(client, found.value);
        if (refused.isErr()) return err(refused.error);
        if (refused.value) return err(refused.value);
      }
      const changed = await store.change(client, found.value.version, to.value);
      return changed.isErr() ? err(changed.error) : known.reload(client);
    },
    declareFields: async (client, epoch, fields, plans) => {
      for (;;) {
        const found = await known.reload(client);
        if (found.isErr()) return err(found.error);
        const living = epochOf(found.value, epoch);
        if (!living) return err({ kind: 'UnknownEpoch', epoch, living: livingEpochs(found.value) });
        const grown = declaredSchema(living.schema, fields, plans);
        if (grown.isErr()) return err(inEpoch(grown.error, epoch));
        if (!grown.value) return ok(living.schema);
        const stored = await store.grow(client, epoch, grown.value);
        if (stored.isOk()) {
          known.grown(client, epoch, grown.value);
          return ok(grown.value);
        }
        // Another receiver was first: decide again on what it has made.
        if (stored.error.kind !== 'SchemaNotNext') return err(stored.error);
      }
    },
  };
};
