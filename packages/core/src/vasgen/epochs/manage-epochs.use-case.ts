import { err, ok, type Result } from 'neverthrow';
import type { Unavailable, Violation } from '../../kernel/index.ts';
import { invalidInputOf, type InvalidInput } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { IndexSchema } from '../engine/index-schema.ts';
import type { DeclaredPlans } from '../schema/declared-plan.ts';
import { declaredSchema, type EpochSchema } from '../schema/epoch-schema.ts';
import { epochOf, livingEpochs, type ClientEpochs } from './epoch.ts';
import type { EpochsMoved, EpochStore, UnknownClient } from './epoch-store.port.ts';
import { changeEpochs, type EpochCommand, type EpochRefused } from './epoch-transitions.ts';
import type { KnownEpochs } from './known-epochs.use-case.ts';

export type UnknownEpoch = {
  readonly kind: 'UnknownEpoch';
  readonly epoch: number;
  readonly living: readonly number[];
};
export type ManageEpochs = {
  /** The living epochs with their schemas. */
  get(client: ClientName): Promise<Result<ClientEpochs, UnknownClient | Unavailable>>;
  change(
    client: ClientName,
    command: EpochCommand,
  ): Promise<Result<ClientEpochs, EpochRefused | EpochsMoved | UnknownClient | Unavailable>>;
  /** Adds fields and plans to the schema of an epoch. What is there already is no error; a type never changes. */
  declareFields(
    client: ClientName,
    epoch: number,
    fields: IndexSchema,
    plans?: DeclaredPlans,
  ): Promise<Result<EpochSchema, InvalidInput | UnknownEpoch | UnknownClient | Unavailable>>;
};

export const makeManageEpochs = (store: EpochStore, known: KnownEpochs): ManageEpochs => {
  const inEpoch = (violations: readonly Violation[], epoch: number): InvalidInput =>
    invalidInputOf(violations.map((one) => ({ ...one, message: `${one.message} (epoch ${epoch})` })));
  return {
    get: async (client) => known.reload(client),
    change: async (client, command) => {
      const found = await known.reload(client);
      if (found.isErr()) return err(found.error);
      const to = changeEpochs(found.value, command);
      if (to.isErr()) return err(to.error);
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
