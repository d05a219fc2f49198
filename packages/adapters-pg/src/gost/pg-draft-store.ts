import { ok, Result } from 'neverthrow';
import type { DraftSlot, DraftStore, OfferId } from '@doska/core/gost';
import { unavailable } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { OWNER_KINDS } from './commit-arrays.ts';
import type { PgGostOptions } from './pg-offer-store.ts';

/* One statement, hence one moment: a draft that moves between two owners is seen with one of them. */
const SLOTS = `select o.place, c.version, d.body from unnest($1::smallint[], $2::text[]) with ordinality o(kind, owner, place)
  left join gost.current_draft c on c.owner_kind = o.kind and c.owner_id = o.owner
  left join gost.draft d on d.id = c.draft_id order by o.place`;
type SlotRow = { readonly version: string | null; readonly body: Buffer | null };

export const pgDraftStore = ({ pool, codecs }: Pick<PgGostOptions, 'pool' | 'codecs'>): DraftStore => ({
  slots: (owners) =>
    guard('gost.slots', () =>
      pool.query<SlotRow>(SLOTS, [owners.map(({ kind }) => OWNER_KINDS[kind]), owners.map(({ id }) => id)]),
    ).andThen(({ rows }) =>
      Result.combine(
        owners.map((owner, i) => {
          const { version = null, body = null } = rows[i] ?? {};
          const draft = body === null ? ok(undefined) : codecs.draft.decode(body);
          return draft.map((found): DraftSlot => ({ owner, version: Number(version ?? 0), draft: found }));
        }),
      ).mapErr((cause) => unavailable('a stored draft is malformed', cause, false)),
    ),
  publishedAs: (id) =>
    guard('gost.publishedAs', async () => {
      const { rows } = await pool.query<{ offer_id: OfferId | null }>(
        'select offer_id from gost.draft where id = $1',
        [id],
      );
      return rows[0]?.offer_id ?? undefined;
    }),
});
