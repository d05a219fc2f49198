import { err, ok } from 'neverthrow';
import type { LeaseRow, LeaseStore, LeaseView } from '../ports/lease-store.port.ts';
import { direct, type Io } from './io.ts';
import { transact, type MemoryDatabase, type MemoryTx } from './memory-database.ts';

type SetRow = { readonly shards: number };
type MemberRow = { readonly expiresAtMs: number };
type Row = Omit<LeaseRow, 'shard'>;

const key = (set: string, part: string | number): string =>
  `${set}\n${typeof part === 'number' ? String(part).padStart(6, '0') : part}`;
const within = (set: string): { from: string; to: string } => ({ from: `${set}\n`, to: `${set}\v` });
const nameIn = (set: string, full: string): string => full.slice(set.length + 1);

const viewOf = (tx: MemoryTx, set: string, shards: number): LeaseView => ({
  nowMs: tx.nowMs,
  members: tx
    .scan<MemberRow>('lease_member', within(set))
    .filter(([, { expiresAtMs }]) => expiresAtMs > tx.nowMs)
    .map(([full]) => nameIn(set, full)),
  leases: Array.from({ length: shards }, (_, shard) => ({
    shard,
    ...(tx.get<Row>('lease', key(set, shard)) ?? { token: 0, owner: undefined, expiresAtMs: 0 }),
  })),
});

export const inMemoryLeaseStore = (db: MemoryDatabase, io: Io = direct): LeaseStore => ({
  beat: ({ set, shards, member, leaseMs }) =>
    transact(db, io, 'leases.beat', { set, member }, (tx) => {
      const known = tx.get<SetRow>('lease_set', set);
      if (known && known.shards !== shards)
        return err({ kind: 'ShardsMismatch' as const, set, shards: known.shards, configured: shards });
      if (!known) tx.put('lease_set', set, { shards });
      const expiresAtMs = tx.nowMs + leaseMs;
      tx.put('lease_member', key(set, member), { expiresAtMs });
      for (const { shard, token, owner, expiresAtMs: until } of viewOf(tx, set, shards).leases) {
        if (owner === member && until > tx.nowMs)
          tx.put('lease', key(set, shard), { token, owner, expiresAtMs });
      }
      return ok(viewOf(tx, set, shards));
    }),
  take: ({ set, member, leaseMs, wanted }) =>
    transact(db, io, 'leases.take', { set, member, wanted }, (tx) =>
      ok(
        wanted.flatMap(({ shard, token }) => {
          const row = tx.get<Row>('lease', key(set, shard)) ?? { token: 0, owner: undefined, expiresAtMs: 0 };
          if (row.token !== token || (row.owner !== undefined && row.expiresAtMs > tx.nowMs)) return [];
          tx.put('lease', key(set, shard), {
            token: token + 1,
            owner: member,
            expiresAtMs: tx.nowMs + leaseMs,
          });
          return [{ shard, token: token + 1 }];
        }),
      ),
    ),
  release: ({ set, member, held }) =>
    transact(db, io, 'leases.release', { set, member, held }, (tx) => {
      for (const { shard, token } of held) {
        const row = tx.get<Row>('lease', key(set, shard));
        if (row?.owner === member && row.token === token)
          tx.put('lease', key(set, shard), { token, owner: undefined, expiresAtMs: 0 });
      }
      return ok(undefined);
    }),
  leave: ({ set, member }) =>
    transact(db, io, 'leases.leave', { set, member }, (tx) => {
      tx.delete('lease_member', key(set, member));
      for (const [full, row] of tx.scan<Row>('lease', within(set))) {
        if (row.owner === member) tx.put('lease', full, { ...row, owner: undefined, expiresAtMs: 0 });
      }
      return ok(undefined);
    }),
  list: () =>
    transact(db, io, 'leases.list', undefined, (tx) =>
      ok(tx.scan<SetRow>('lease_set').map(([set, { shards }]) => ({ set, view: viewOf(tx, set, shards) }))),
    ),
});
