import { okAsync, type ResultAsync } from 'neverthrow';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { EpochSchema } from '../schema/epoch-schema.ts';
import type { ClientEpochs } from './epoch.ts';
import type { EpochStore, UnknownClient } from './epoch-store.port.ts';

/** The epochs as this process last saw them. */
export type KnownEpochs = {
  /** Not older than the setting says. */
  get(client: ClientName): ResultAsync<ClientEpochs, UnknownClient | Unavailable>;
  /** Asks the store. */
  reload(client: ClientName): ResultAsync<ClientEpochs, UnknownClient | Unavailable>;
  /** A growth that this process has stored. */
  grown(client: ClientName, epoch: number, schema: EpochSchema): void;
};
type Known = { readonly epochs: ClientEpochs; readonly atMs: number };

export const makeKnownEpochs = (
  store: Pick<EpochStore, 'load'>,
  clock: Clock,
  keptMs: number,
): KnownEpochs => {
  const known = new Map<ClientName, Known>();
  const reload: KnownEpochs['reload'] = (client) =>
    store.load(client).map((epochs) => {
      known.set(client, { epochs, atMs: clock.nowMs() });
      return epochs;
    });
  return {
    reload,
    get: (client) => {
      const found = known.get(client);
      return found && clock.nowMs() - found.atMs < keptMs ? okAsync(found.epochs) : reload(client);
    },
    grown: (client, epoch, schema) => {
      const found = known.get(client);
      if (!found) return;
      const epochs = found.epochs.epochs.map((one) =>
        one.epoch === epoch && one.schema.number < schema.number ? { ...one, schema } : one,
      );
      known.set(client, { epochs: { ...found.epochs, epochs }, atMs: found.atMs });
    },
  };
};
