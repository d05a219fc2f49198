import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import { mapBounded, type InvalidPageToken, type PageTokens } from '../../kernel/index.ts';
import { ERASE_COMMAND } from '../domain/erasure.ts';
import type { SellerId } from '../domain/offer.ts';
import type { OfferId } from '../domain/offer-id.ts';
import type { OfferScan } from '../ports/offer-scan.port.ts';
import type { ChangeOfferError, ChangeOffers } from './change-offers.ts';
import type { EraseTraces } from './erase-traces.ts';

export type EraseSellerNeeds = {
  readonly scan: OfferScan;
  readonly changeOffers: ChangeOffers;
  readonly traces: EraseTraces;
  readonly tokens: PageTokens;
  /** Offers that one call takes on. */
  readonly slice?: number;
};
/** `cursor`: there is more, call again with it; undefined: nothing is left. */
export type EraseSlice = {
  /** How many offers this call has looked at, how many of them still said something, and how many entries of history. */
  readonly offers: number;
  readonly erased: number;
  readonly entries: number;
  readonly cursor: string | undefined;
};
export type EraseSellerError = ChangeOfferError | InvalidPageToken;
export type EraseSeller = (command: {
  readonly seller: SellerId;
  readonly cursor?: string;
}) => ResultAsync<EraseSlice, EraseSellerError>;

const SLICE = 100;
const HISTORIES_AT_ONCE = 4;

/**
 * Takes what is personal out of everything that a seller has left, a slice a call. Every step does nothing where nothing
 * is left, and a cursor is given only for what is wholly done: after a crash anywhere, calling again finishes it, from
 * the last cursor or from the beginning. A seller who goes on selling meanwhile is not waited for: lock him out first.
 */
export const makeEraseSeller = ({
  scan,
  changeOffers,
  traces,
  tokens,
  slice = SLICE,
}: EraseSellerNeeds): EraseSeller => {
  const eraseSlice = async (
    seller: SellerId,
    after: OfferId | undefined,
  ): Promise<Result<EraseSlice, EraseSellerError>> => {
    // Before the offers: a draft that is gone becomes none.
    const draft = await traces.draft(seller);
    if (draft.isErr()) return err(draft.error);
    const page = await scan.ofSeller(seller, { limit: slice, ...(after ? { after } : {}) });
    if (page.isErr()) return err(page.error);
    const ids = page.value.map(({ id }) => id);
    // Before the offers too: an erased one does not know its feed any more.
    const rows = await traces.feedRows(page.value);
    if (rows.isErr()) return err(rows.error);
    const command = { kind: 'erase', id: ERASE_COMMAND, by: 'operator', seller } as const;
    const verdicts = await changeOffers(ids.map((offerId) => ({ offerId, command })));
    for (const verdict of verdicts) if (verdict.isErr()) return err(verdict.error);
    const entries = await mapBounded(ids, HISTORIES_AT_ONCE, (offerId) =>
      traces.stages(offerId).andThen(() => traces.history(offerId)),
    );
    if (entries.isErr()) return err(entries.error);
    const last = ids.length === slice ? ids.at(-1) : undefined;
    const versions = new Map(page.value.map(({ id, version }) => [id, version]));
    return ok({
      offers: ids.length,
      erased: verdicts.filter(
        (verdict) => verdict.isOk() && verdict.value.version > (versions.get(verdict.value.offerId) ?? 0),
      ).length,
      entries: entries.value.reduce((sum, count) => sum + count, 0),
      cursor: last && tokens.encode(`erase/${seller}`, [last]),
    });
  };
  return ({ seller, cursor }) => {
    const place = cursor === undefined ? ok([]) : tokens.decode(`erase/${seller}`, cursor);
    if (place.isErr()) return errAsync(place.error);
    const [after] = place.value;
    return new ResultAsync(eraseSlice(seller, after === undefined ? undefined : (String(after) as OfferId)));
  };
};
