import { Result, type Result as Outcome } from 'neverthrow';
import { type GostCodecs, type Offer, type OfferId } from '@doska/core/gost';
import { offerOfParts } from '@doska/core/gost/storage';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { list, query } from '../driver/query.ts';
import type { YdbTx } from '../driver/transaction.ts';

export const PARTS = query({
  name: 'gost/parts',
  parameters: { ids: list('Utf8') },
  results: [{ id: 'Utf8', kind: 'Uint32', status: 'Uint32?', body: 'String' }],
  text: 'SELECT id, kind, status, body FROM gost_offer WHERE id IN $ids ORDER BY id, kind LIMIT 1001;',
});
/** A head and three bodies each: no more than 1000 rows, and no more than 50 MB of the largest offers. */
const IDS_MAX = 250;
type PartRow = {
  readonly id: string;
  readonly kind: number;
  readonly status: number | undefined;
  readonly body: Uint8Array;
};
type Last = YdbTx['run'];

export const unreadable = (cause: unknown): Unavailable =>
  unavailable('a stored row is malformed', cause, false);

/** The rows of these offers, as of one moment; ends the transaction. */
export const readParts = async (tx: YdbTx, ids: readonly string[]): Promise<readonly PartRow[]> => {
  const distinct = [...new Set(ids)].sort();
  const found: PartRow[] = [];
  for (let at = 0; at < distinct.length; at += IDS_MAX) {
    const ask: Last = at + IDS_MAX >= distinct.length ? tx.commit : tx.run;
    const [rows] = await ask(PARTS, { ids: distinct.slice(at, at + IDS_MAX) });
    found.push(...rows);
  }
  return found;
};
/** The offers that the rows hold, by id. */
export const offersOfParts = (
  rows: readonly PartRow[],
  codecs: GostCodecs,
): ReadonlyMap<OfferId, Outcome<Offer, Unavailable>> => {
  const parts = new Map<OfferId, PartRow[]>();
  for (const row of rows) {
    const known = parts.get(row.id as OfferId);
    if (known) known.push(row);
    else parts.set(row.id as OfferId, [row]);
  }
  return new Map([...parts].map(([id, found]) => [id, offerOfParts(found, codecs).mapErr(unreadable)]));
};
/** Those of `ids` that there are, in their order. */
export const inOrder = (
  ids: readonly OfferId[],
  found: ReadonlyMap<OfferId, Outcome<Offer, Unavailable>>,
): Outcome<readonly Offer[], Unavailable> =>
  Result.combine([...new Set(ids)].flatMap((id) => found.get(id) ?? []));
