import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import { mapBounded, type InvalidPageToken, type PageTokens } from '../../kernel/index.ts';
import { ERASE_COMMAND } from './erasure.ts';
import type { SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { OfferScan } from '../scan/offer-scan.port.ts';
import type { ChangeOfferError, ChangeOffers } from '../offer/change-offers.use-case.ts';
import type { EraseArchived } from './erase-archived.use-case.ts';
import type { EraseTraces } from './erase-traces.use-case.ts';

export type EraseSellerNeeds = {
  readonly scan: OfferScan;
  readonly changeOffers: ChangeOffers;
  readonly traces: EraseTraces;
  readonly eraseArchived: EraseArchived;
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

/** Stands in a cursor behind the place, once the store is done. */
const ARCHIVE = 'archive';
const SLICE = 100;
const HISTORIES_AT_ONCE = 4;

/**
 * Takes what is personal out of everything that a seller has left, a slice a call. Every step does nothing where nothing
 * is left, and a cursor is given only for what is wholly done: after a crash anywhere, calling again finishes it, from
 * the last cursor or from the beginning. A seller who goes on selling meanwhile is not waited for: lock him out first.
 * The store comes before the archive: an offer goes from there to here and never back, so none is missed on its way.
 */
export const makeEraseSeller = ({
  scan,
  changeOffers,
  traces,
  eraseArchived,
  tokens,
  slice = SLICE,
}: EraseSellerNeeds): EraseSeller => {
  const cursorOf = (seller: SellerId, place: readonly string[]): string =>
    tokens.encode(`erase/${seller}`, place);
  const archiveSlice = (
    seller: SellerId,
    after: OfferId | undefined,
  ): ResultAsync<EraseSlice, EraseSellerError> =>
    eraseArchived(seller, { limit: slice, ...(after ? { after } : {}) }).map(({ last, ...counts }) => ({
      ...counts,
      cursor: last && cursorOf(seller, [last, ARCHIVE]),
    }));
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
    for (const verdict of verdicts)
      if (verdict.isErr() && verdict.error.kind !== 'Archived') return err(verdict.error);
    const entries = await mapBounded(ids, HISTORIES_AT_ONCE, (offerId) =>
      traces.stages(offerId).andThen(() => traces.history(offerId)),
    );
    if (entries.isErr()) return err(entries.error);
    const last = ids.length === slice ? ids.at(-1) : undefined;
    const versions = new Map(page.value.map(({ id, version }) => [id, version]));
    const done = {
      offers: ids.length,
      erased: verdicts.filter(
        (verdict) => verdict.isOk() && verdict.value.version > (versions.get(verdict.value.offerId) ?? 0),
      ).length,
      entries: entries.value.reduce((sum, count) => sum + count, 0),
    };
    if (last) return ok({ ...done, cursor: cursorOf(seller, [last]) });
    const archived = await archiveSlice(seller, undefined);
    return archived.map((also) => ({
      offers: done.offers + also.offers,
      erased: done.erased + also.erased,
      entries: done.entries + also.entries,
      cursor: also.cursor,
    }));
  };
  return ({ seller, cursor }) => {
    const place = cursor === undefined ? ok([]) : tokens.decode(`erase/${seller}`, cursor);
    if (place.isErr()) return errAsync(place.error);
    const [last, where] = place.value;
    const after = last === undefined ? undefined : (String(last) as OfferId);
    return where === ARCHIVE ? archiveSlice(seller, after) : new ResultAsync(eraseSlice(seller, after));
  };
};
