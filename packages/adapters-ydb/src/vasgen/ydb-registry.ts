import { err, ok, ResultAsync, type Result } from 'neverthrow';
import {
  pkHashOf,
  REGISTRY_ROWS_MAX,
  type ClientName,
  type DocumentRegistry,
  type RegistryWrite,
  type SchemaGrowth,
  type SchemaMoved,
  type WriteOutcome,
} from '@doska/core/vasgen';
import type { YdbClient } from '../driver/client.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { acceptWrites, outcomeOf, type AcceptState } from './accept-writes.ts';
import { fitting, readBodies } from './body-pages.ts';
import { STATUS } from './codes.ts';
import { headKeys, turnsOf } from './element-rows.ts';
import {
  ACCEPT_READ,
  ACCEPT_WRITE,
  ERASED_READ,
  EXPIRED,
  REMOVE_ROWS,
  ROWS_OF,
  ROWS_OF_EPOCH,
  SCAN,
  TOMBSTONES,
} from './registry-queries.ts';
import { dueRow, headOf, keyOf } from './registry-rows.ts';
import type { ShardTurns } from './shard-turns.ts';
import { SCHEMA_READ } from './ydb-epoch-store.ts';

const most = (limit: number): number => Math.min(limit, REGISTRY_ROWS_MAX);
const queuesOf = (writes: readonly RegistryWrite[]) =>
  writes.map(({ row, shard }) => ({ queue: row.lane, shard }));

const readState = async (
  tx: YdbTx,
  client: ClientName,
  writes: readonly RegistryWrite[],
): Promise<AcceptState> => {
  const [living, rows, heads] = await tx.run(ACCEPT_READ, {
    client,
    epochs: [...new Set(writes.map(({ row }) => row.place.epoch))],
    keys: writes.map(({ row }) => ({ client, epoch: row.place.epoch, hash: pkHashOf(row.pk), pk: row.pk })),
    heads: headKeys(client, queuesOf(writes)),
  });
  const pks = [...new Set(writes.filter(({ erases }) => erases).map(({ row }) => row.pk))];
  const erased = pks.length > 0 ? (await tx.run(ERASED_READ, { client, pks }))[0] : [];
  return {
    living: new Set(living.map(({ epoch }) => epoch)),
    rows: new Map(rows.map((row) => [keyOf(row), row])),
    heads,
    erased: new Map(erased.map(({ pk, at_ms }) => [pk, at_ms])),
  };
};
const acceptIn = async (
  tx: YdbTx,
  client: ClientName,
  writes: readonly RegistryWrite[],
  growth: SchemaGrowth | undefined,
): Promise<Result<readonly WriteOutcome[], SchemaMoved>> => {
  if (growth) {
    const { epoch, to } = growth;
    const [[schema]] = await tx.run(SCHEMA_READ, { client, epoch });
    if (schema && schema.number !== to.number - 1) return err({ kind: 'SchemaMoved', epoch });
  }
  const state = await readState(tx, client, writes);
  const outcomes = writes.map((write) => outcomeOf(write, state));
  const changes = acceptWrites(client, writes, outcomes, state, growth);
  if (changes) await tx.commit(ACCEPT_WRITE, changes);
  return ok(outcomes);
};

export const ydbRegistry = (client: YdbClient, turns: ShardTurns): DocumentRegistry => ({
  accept: (of, writes, growth) =>
    writes.length === 0
      ? new ResultAsync(Promise.resolve(ok([])))
      : new ResultAsync(
          turns(turnsOf(of, queuesOf(writes)), async () =>
            client.write('vasgen.accept', (tx) => acceptIn(tx, of, writes, growth)),
          ),
        ).andThen((outcome) => outcome),
  find: (of, epoch, pks) =>
    client.read('vasgen.find', async (tx) => {
      const asked = [...new Set(pks.slice(0, REGISTRY_ROWS_MAX))];
      const keys = asked.map((pk) => ({ client: of, epoch, hash: pkHashOf(pk), pk }));
      if (keys.length === 0) return [];
      const [heads] = await tx.run(ROWS_OF, { keys });
      return readBodies(tx, of, heads);
    }),
  scan: (of, epoch, { after, limit }) =>
    client.read('vasgen.scan', async (tx) => {
      const place = { hash: after?.hash ?? 0, pk: after?.pk ?? '' };
      const [heads] = await tx.run(SCAN, { client: of, epoch, ...place, limit: most(limit) });
      const page = fitting(heads, ({ body_bytes }) => body_bytes);
      const last = page.at(-1);
      const isEnd = !last || (page.length === heads.length && heads.length < most(limit));
      return {
        rows: await readBodies(tx, of, page),
        next: isEnd ? undefined : { hash: last.hash, pk: last.pk },
      };
    }),
  expired: (of, shard, nowMs, limit) =>
    client.read('vasgen.expired', async (tx) => {
      const [found] = await tx.commit(EXPIRED, { client: of, shard, now: nowMs, limit: most(limit) });
      // A join does not keep the order of its left side.
      return found.map(headOf).sort((a, b) => (a.expiresAtMs ?? 0) - (b.expiresAtMs ?? 0));
    }),
  forgetTombstones: (of, shard, beforeMs, limit) =>
    client.write(
      'vasgen.forgetTombstones',
      async (tx) => {
        const asked = { client: of, shard, before: beforeMs, limit: most(limit) };
        const [due] = await tx.run(TOMBSTONES, asked);
        const old = due.filter(
          ({ status, written_at_ms, at_ms }) => status === STATUS.code.tombstone && written_at_ms === at_ms,
        );
        if (due.length > 0) await tx.commit(REMOVE_ROWS, { rows: old, due });
        return old.length;
      },
      { idempotent: true },
    ),
  dropRows: (of, epoch, limit) =>
    client.write(
      'vasgen.dropRows',
      async (tx) => {
        const [living, found] = await tx.run(ROWS_OF_EPOCH, { client: of, epoch, limit: most(limit) });
        if (living.length > 0 || found.length === 0) return 0;
        const rows = found.map(({ hash, pk }) => ({ client: of, epoch, hash, pk }));
        const due = found.flatMap((row) => dueRow(of, row.shard, row) ?? []);
        await tx.commit(REMOVE_ROWS, { rows, due });
        return found.length;
      },
      { idempotent: true },
    ),
});
