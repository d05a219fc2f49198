import { err, ok } from 'neverthrow';
import type pg from 'pg';
import { emptySchema, type EpochStore } from '@doska/core/vasgen';
import { guard } from '../driver/guard.ts';
import { inTransaction } from '../driver/transaction.ts';
import { schemaOf, schemaText } from './schema-text.ts';
import { STATE } from './vasgen-rows.ts';

const EMPTY = schemaText(emptySchema);

// A change of the epochs waits for running commits of documents, and they for it: see `vasgen.accept`.
const LOCK_CLIENT = 'select pg_advisory_xact_lock(7102, hashtext($1))';
const MAKE_CLIENT =
  'insert into vasgen.client (name, shards, version) values ($1, $2, 1) on conflict do nothing';
const SHARDS = 'select shards from vasgen.client where name = $1';
const LOAD = `select c.version, e.epoch, e.state, e.schema_number, e.schema from vasgen.client c
  left join vasgen.epoch e on e.client = c.name where c.name = $1 order by e.epoch`;
const VERSION = 'select version from vasgen.client where name = $1 for update';
const PUT = `insert into vasgen.epoch (client, epoch, state, schema_number, schema)
  select $1, a.epoch, a.state, ${emptySchema.number}, '${EMPTY}' from unnest($2::bigint[], $3::smallint[]) a(epoch, state)
  on conflict (client, epoch) do update set state = excluded.state`;
const DROP = 'delete from vasgen.epoch where client = $1 and epoch <> all($2::bigint[])';
const MOVED = 'update vasgen.client set version = version + 1 where name = $1';
const GROW = `update vasgen.epoch set schema_number = $3, schema = $4
  where client = $1 and epoch = $2 and schema_number = $3 - 1`;

type EpochColumns = {
  readonly version: string;
  readonly epoch: string | null;
  readonly state: number;
  readonly schema_number: string;
  readonly schema: string;
};

export const pgEpochStore = (pool: pg.Pool): EpochStore => ({
  ensureClient: (client, configured) =>
    inTransaction(pool, 'vasgen.ensureClient', async (tx) => {
      const { rowCount } = await tx.query(MAKE_CLIENT, [client, configured]);
      if (rowCount === 1) await tx.query(PUT, [client, [1], [STATE.code.serving]]);
      const { rows } = await tx.query<{ shards: number }>(SHARDS, [client]);
      const stored = rows[0]!.shards;
      return stored === configured
        ? ok(undefined)
        : err({ kind: 'ShardsMismatch' as const, client, stored, configured });
    }),
  load: (client) =>
    guard('vasgen.epochs', async () => {
      const { rows } = await pool.query<EpochColumns>({
        name: 'vasgen_epochs',
        text: LOAD,
        values: [client],
      });
      return rows;
    }).andThen((rows) => {
      if (rows.length === 0) return err({ kind: 'UnknownClient' as const, client });
      const epochs = rows
        .filter(({ epoch }) => epoch !== null)
        .map(({ epoch, state, schema_number, schema }) => ({
          epoch: Number(epoch),
          state: STATE.name(state),
          schema: schemaOf(Number(schema_number), schema),
        }));
      return ok({ version: Number(rows[0]!.version), epochs });
    }),
  change: (client, fromVersion, to) =>
    inTransaction(pool, 'vasgen.changeEpochs', async (tx) => {
      await tx.query(LOCK_CLIENT, [client]);
      const { rows } = await tx.query<{ version: string }>(VERSION, [client]);
      if (!rows[0]) return err({ kind: 'UnknownClient' as const, client });
      if (Number(rows[0].version) !== fromVersion) return err({ kind: 'EpochsMoved' as const, client });
      const epochs = to.map(({ epoch }) => epoch);
      await tx.query(PUT, [client, epochs, to.map(({ state }) => STATE.code[state])]);
      await tx.query(DROP, [client, epochs]);
      await tx.query(MOVED, [client]);
      return ok(undefined);
    }),
  grow: (client, epoch, to) =>
    guard('vasgen.growSchema', async () => {
      const { rowCount } = await pool.query(GROW, [client, epoch, to.number, schemaText(to)]);
      return rowCount === 1;
    }).andThen((isGrown) => (isGrown ? ok(undefined) : err({ kind: 'SchemaNotNext' as const, epoch }))),
});
