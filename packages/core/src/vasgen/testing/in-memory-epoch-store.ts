import { err, ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase, type MemoryTx } from '../../kernel/testing.ts';
import type { EpochStore } from '../epochs/epoch-store.port.ts';
import { emptySchema } from '../schema/epoch-schema.ts';
import { below, keyOf, type ClientRow, type EpochRow } from './memory-rows.ts';

const epochsOf = (tx: MemoryTx, client: string): readonly EpochRow[] =>
  tx.scan<EpochRow>('vasgen_epoch', below(keyOf.epochs(client))).map(([, row]) => row);

export const inMemoryEpochStore = (db: MemoryDatabase, io: Io = direct): EpochStore => ({
  ensureClient: (client, shards) =>
    transact(db, io, 'vasgen.ensureClient', { client, shards }, (tx) => {
      const stored = tx.get<ClientRow>('vasgen_client', client);
      if (stored && stored.shards !== shards)
        return err({ kind: 'ShardsMismatch' as const, client, stored: stored.shards, configured: shards });
      if (stored) return ok(undefined);
      tx.put('vasgen_client', client, { shards, version: 1 } satisfies ClientRow);
      const first: EpochRow = { epoch: 1, state: 'serving', schema: emptySchema };
      tx.put('vasgen_epoch', keyOf.epoch(client, 1), first);
      return ok(undefined);
    }),
  load: (client) =>
    transact(db, io, 'vasgen.epochs', client, (tx) => {
      const stored = tx.get<ClientRow>('vasgen_client', client);
      if (!stored) return err({ kind: 'UnknownClient' as const, client });
      return ok({ version: stored.version, epochs: epochsOf(tx, client) });
    }),
  change: (client, fromVersion, to) =>
    transact(db, io, 'vasgen.changeEpochs', { client, fromVersion, to }, (tx) => {
      const stored = tx.get<ClientRow>('vasgen_client', client);
      if (!stored) return err({ kind: 'UnknownClient' as const, client });
      if (stored.version !== fromVersion) return err({ kind: 'EpochsMoved' as const, client });
      tx.put('vasgen_client', client, { ...stored, version: fromVersion + 1 });
      const old = new Map(epochsOf(tx, client).map((row) => [row.epoch, row]));
      for (const { epoch, state } of to) {
        const schema = old.get(epoch)?.schema ?? emptySchema;
        tx.put('vasgen_epoch', keyOf.epoch(client, epoch), { epoch, state, schema } satisfies EpochRow);
        old.delete(epoch);
      }
      for (const epoch of old.keys()) tx.delete('vasgen_epoch', keyOf.epoch(client, epoch));
      return ok(undefined);
    }),
  grow: (client, epoch, to) =>
    transact(db, io, 'vasgen.growSchema', { client, epoch, number: to.number }, (tx) => {
      const row = tx.get<EpochRow>('vasgen_epoch', keyOf.epoch(client, epoch));
      if (row?.schema.number !== to.number - 1) return err({ kind: 'SchemaNotNext' as const, epoch });
      tx.put('vasgen_epoch', keyOf.epoch(client, epoch), { ...row, schema: to } satisfies EpochRow);
      return ok(undefined);
    }),
});
