import { ok, Result } from 'neverthrow';
import { type DraftOwner, type OfferId } from '@doska/core/gost';
import { OWNER_KINDS, ROWS_MAX, type DraftSlot, type DraftStore } from '@doska/core/gost/storage';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import type { PgGostOptions } from './pg-offer-store.ts';

/* One statement, so the answer is of one moment: a draft that moves between two owners is seen with exactly one. */
const SLOTS = `select o.place, c.version, d.body from unnest($1::smallint[], $2::text[]) with ordinality o(kind, owner, place)
  left join gost.current_draft c on c.owner_kind = o.kind and c.owner_id = o.owner
  left join gost.draft d on d.id = c.draft_id order by o.place`;
const ABANDONED = `select c.owner_id, c.version, d.body from gost.current_draft c join gost.draft d on d.id = c.draft_id
  where c.owner_kind = ${OWNER_KINDS.anonymous} and c.draft_id is not null and c.saved_at_us < $1 order by c.saved_at_us limit $2`;
const FORGET = `delete from gost.draft where id in (
  select id from gost.draft where published_at_us < $1 order by published_at_us limit $2)`;
type SlotRow = { readonly version: string | null; readonly body: Buffer | null };

const unreadable = (cause: unknown): Unavailable => unavailable('a stored draft is malformed', cause, false);

export const pgDraftStore = ({ pool, codecs }: Pick<PgGostOptions, 'pool' | 'codecs'>): DraftStore => {
  const slotOf = (owner: DraftOwner, { version, body }: SlotRow): Result<DraftSlot, Unavailable> =>
    (body === null ? ok(undefined) : codecs.draft.decode(body))
      .map((draft): DraftSlot => ({ owner, version: Number(version ?? 0), draft }))
      .mapErr(unreadable);
  return {
    slots: (owners) =>
      guard('gost.slots', () =>
        pool.query<SlotRow>(SLOTS, [owners.map(({ kind }) => OWNER_KINDS[kind]), owners.map(({ id }) => id)]),
      ).andThen(({ rows }) =>
        Result.combine(owners.map((owner, i) => slotOf(owner, rows[i] ?? { version: null, body: null }))),
      ),
    publishedAs: (id) =>
      guard('gost.publishedAs', async () => {
        const { rows } = await pool.query<{ offer_id: OfferId | null }>(
          'select offer_id from gost.draft where id = $1',
          [id],
        );
        return rows[0]?.offer_id ?? undefined;
      }),
    abandoned: (beforeUs, limit) =>
      guard('gost.abandoned', () =>
        pool.query<SlotRow & { readonly owner_id: string }>(ABANDONED, [beforeUs, Math.min(limit, ROWS_MAX)]),
      ).andThen(({ rows }) =>
        Result.combine(rows.map((row) => slotOf({ kind: 'anonymous', id: row.owner_id }, row))),
      ),
    forgetPublished: (beforeUs, limit) =>
      guard('gost.forgetPublished', async () => {
        const { rowCount } = await pool.query(FORGET, [beforeUs, Math.min(limit, ROWS_MAX)]);
        return rowCount ?? 0;
      }),
  };
};
