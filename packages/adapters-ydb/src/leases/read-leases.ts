import { okAsync } from 'neverthrow';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import type { ResultsOf } from '../driver/query.ts';
import type { YdbTx } from '../driver/transaction.ts';
import type { leases } from '../schema/lease-tables.ts';
import { LEASE_READ, LEASE_VIEW, LEASES_AFTER, MEMBERS_AFTER, PAGE_ROWS } from './lease-queries.ts';

type FirstPage = ResultsOf<(typeof LEASE_VIEW)['results']>;
export type SeenSet = {
  readonly nowUs: number;
  /** Undefined: the set does not exist. */
  readonly shards: number | undefined;
  readonly members: FirstPage[2];
  readonly leases: FirstPage[3];
};
const seenOf = ([[time], [set], members, rows]: FirstPage): SeenSet => ({
  nowUs: time?.now ?? 0,
  shards: set?.shards,
  members,
  leases: rows,
});
const isWhole = ({ members, leases: rows }: SeenSet): boolean =>
  members.length < PAGE_ROWS && rows.length < PAGE_ROWS;

/** The pages after this one. */
const allPages = async <T>(first: readonly T[], after: (last: T) => Promise<readonly T[]>): Promise<T[]> => {
  const all = [...first];
  for (let page = first; page.length === PAGE_ROWS;) {
    page = await after(page.at(-1)!);
    all.push(...page);
  }
  return all;
};
/** The whole set, in the snapshot of the transaction. */
export const readSet = async (tx: YdbTx, set: string): Promise<SeenSet> => {
  const first = seenOf(await tx.run(LEASE_VIEW, { set_name: set }));
  return {
    ...first,
    members: await allPages(
      first.members,
      async ({ member }) => (await tx.run(MEMBERS_AFTER, { set_name: set, after: member }))[0],
    ),
    leases: await allPages(
      first.leases,
      async ({ shard }) => (await tx.run(LEASES_AFTER, { set_name: set, after: shard }))[0],
    ),
  };
};
/** The whole set. Nearly every set has one page, and one page takes one trip. */
export const viewSet = (client: YdbClient, set: string) =>
  client
    .read('leases.view', async (tx) => seenOf(await tx.commit(LEASE_VIEW, { set_name: set })))
    .andThen((seen) =>
      isWhole(seen) ? okAsync(seen) : client.read('leases.view', (tx) => readSet(tx, set)),
    );

export type SomeLeases = Pick<SeenSet, 'nowUs' | 'shards'> & {
  readonly leases: readonly RowOf<typeof leases.columns>[];
};
/** These leases, protected from concurrent changes. */
export const readLeases = async (
  tx: YdbTx,
  set: string,
  shards: readonly { readonly shard: number }[],
): Promise<SomeLeases> => {
  const keys = shards.map(({ shard }) => ({ set_name: set, shard }));
  const [[time], [known], found] = await tx.run(LEASE_READ, {
    set_name: set,
    keys: keys.slice(0, PAGE_ROWS),
  });
  const all = [...found];
  for (let from = PAGE_ROWS; from < keys.length; from += PAGE_ROWS) {
    const part = keys.slice(from, from + PAGE_ROWS);
    all.push(...(await tx.run(LEASE_READ, { set_name: set, keys: part }))[2]);
  }
  return { nowUs: time?.now ?? 0, shards: known?.shards, leases: all };
};
