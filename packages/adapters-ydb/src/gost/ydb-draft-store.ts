import { ok, Result, type Result as Outcome } from 'neverthrow';
import { type DraftOwner, type OfferId } from '@doska/core/gost';
import { OWNER_KINDS, ROWS_MAX, type DraftSlot, type DraftStore } from '@doska/core/gost/storage';
import type { Unavailable } from '@doska/core/kernel';
import type { RowOf } from '../driver/column-type.ts';
import { query, rows } from '../driver/query.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { publishedDrafts } from '../schema/gost-tables.ts';
import { allBuckets } from '../schema/buckets.ts';
import { keyOf } from './commit-state.ts';
import { unreadable } from './offer-parts.ts';
import type { YdbGostOptions } from './ydb-offer-store.ts';

export const SLOTS = query({
  name: 'gost/slots',
  parameters: { owners: rows({ owner_kind: 'Uint32', owner_id: 'Utf8' }) },
  results: [{ owner_kind: 'Uint32', owner_id: 'Utf8', version: 'Uint64', body: 'String?' }],
  text: `SELECT c.owner_kind AS owner_kind, c.owner_id AS owner_id, c.version AS version, d.body AS body
FROM AS_TABLE($owners) AS k
INNER JOIN gost_current_draft AS c ON c.owner_kind = k.owner_kind AND c.owner_id = k.owner_id
LEFT JOIN gost_draft AS d ON d.id = c.draft_id;`,
});
export const PUBLISHED_AS = query({
  name: 'gost/published-as',
  parameters: { id: 'Utf8' },
  results: [{ offer_id: 'Utf8?' }],
  text: 'SELECT offer_id FROM gost_draft WHERE id = $id;',
});
export const SAVED_BEFORE = query({
  name: 'gost/drafts-saved-before',
  parameters: { bucket: 'Uint32', before: 'Uint64', limit: 'Uint64' },
  results: [{ saved_at_us: 'Uint64', owner_id: 'Utf8' }],
  text: `SELECT saved_at_us, owner_id FROM gost_draft_saved WHERE bucket = $bucket AND saved_at_us < $before
ORDER BY bucket, saved_at_us, owner_id LIMIT $limit;`,
});
export const PUBLISHED_BEFORE = query({
  name: 'gost/drafts-published-before',
  parameters: { bucket: 'Uint32', before: 'Uint64', limit: 'Uint64' },
  results: [publishedDrafts.columns],
  text: `SELECT bucket, published_at_us, draft_id FROM gost_draft_published
WHERE bucket = $bucket AND published_at_us < $before
ORDER BY bucket, published_at_us, draft_id LIMIT $limit;`,
});
export const FORGET_PUBLISHED = query({
  name: 'gost/drafts-forget-published',
  parameters: { old: rows(publishedDrafts.columns) },
  results: [],
  text: `DELETE FROM gost_draft ON SELECT draft_id AS id FROM AS_TABLE($old);
DELETE FROM gost_draft_published ON SELECT bucket, published_at_us, draft_id FROM AS_TABLE($old);`,
});
export const draftQueries = [SLOTS, PUBLISHED_AS, SAVED_BEFORE, PUBLISHED_BEFORE, FORGET_PUBLISHED];

/** A draft takes up to 100 KB, and an answer up to 50 MB. */
const OWNERS_MAX = 250;
type SlotRow = { readonly version: number; readonly body: Uint8Array | undefined };

export const ydbDraftStore = ({ client, codecs }: Pick<YdbGostOptions, 'client' | 'codecs'>): DraftStore => {
  /** Ends the transaction. */
  const readSlots = async (
    tx: YdbTx,
    owners: readonly DraftOwner[],
  ): Promise<ReadonlyMap<string, SlotRow>> => {
    const keys = owners.map(({ kind, id }) => ({ owner_kind: OWNER_KINDS[kind], owner_id: id }));
    const named = [...new Map(keys.map((key) => [keyOf(key.owner_kind, key.owner_id), key])).values()];
    const found = new Map<string, SlotRow>();
    for (let at = 0; at < named.length; at += OWNERS_MAX) {
      const ask: YdbTx['run'] = at + OWNERS_MAX >= named.length ? tx.commit : tx.run;
      const [slots] = await ask(SLOTS, { owners: named.slice(at, at + OWNERS_MAX) });
      for (const row of slots) found.set(keyOf(row.owner_kind, row.owner_id), row);
    }
    return found;
  };
  const slotsOf = (
    owners: readonly DraftOwner[],
    found: ReadonlyMap<string, SlotRow>,
  ): Outcome<readonly DraftSlot[], Unavailable> =>
    Result.combine(
      owners.map((owner) => {
        const { version = 0, body } = found.get(keyOf(OWNER_KINDS[owner.kind], owner.id)) ?? {};
        return (body ? codecs.draft.decode(body) : ok(undefined))
          .map((draft): DraftSlot => ({ owner, version, draft }))
          .mapErr(unreadable);
      }),
    );
  return {
    slots: (owners) =>
      client.read('gost.slots', (tx) => readSlots(tx, owners)).andThen((found) => slotsOf(owners, found)),
    publishedAs: (id) =>
      client.read('gost.publishedAs', async (tx) => {
        const [[draft]] = await tx.commit(PUBLISHED_AS, { id });
        return draft?.offer_id as OfferId | undefined;
      }),
    abandoned: (beforeUs, limit) =>
      client
        .read('gost.abandoned', async (tx) => {
          const most = Math.min(limit, ROWS_MAX);
          const saved: { readonly saved_at_us: number; readonly owner_id: string }[] = [];
          for (const bucket of allBuckets)
            saved.push(...(await tx.run(SAVED_BEFORE, { bucket, before: beforeUs, limit: most }))[0]);
          saved.sort((a, b) => a.saved_at_us - b.saved_at_us);
          const owners = saved
            .slice(0, most)
            .map(({ owner_id }): DraftOwner => ({ kind: 'anonymous', id: owner_id }));
          return { owners, found: await readSlots(tx, owners) };
        })
        .andThen(({ owners, found }) => slotsOf(owners, found)),
    forgetPublished: (beforeUs, limit) =>
      client.write('gost.forgetPublished', async (tx) => {
        const old: RowOf<typeof publishedDrafts.columns>[] = [];
        for (const bucket of allBuckets) {
          const most = Math.min(limit, ROWS_MAX) - old.length;
          if (most <= 0) break;
          old.push(...(await tx.run(PUBLISHED_BEFORE, { bucket, before: beforeUs, limit: most }))[0]);
        }
        if (old.length > 0) await tx.commit(FORGET_PUBLISHED, { old });
        return old.length;
      }),
  };
};
