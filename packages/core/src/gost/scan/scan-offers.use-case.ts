import { err, ok, type Result } from 'neverthrow';
import {
  invalidInput,
  makePermits,
  sleep,
  type Clock,
  type InvalidInput,
  type InvalidPageToken,
  type PageTokens,
  type Unavailable,
} from '../../kernel/index.ts';
import { countFitting, offerBytes } from '../offer/answer-size.ts';
import type { OfferId } from '../offer/offer-id.ts';
import { viewOf, type OfferView } from '../offer/offer-view.ts';
import { ID_HASHES, idHashOf, type OfferScan, type ScanPlace, type ScanRange } from './offer-scan.port.ts';

export type ScanOffersNeeds = {
  readonly scan: OfferScan;
  readonly tokens: PageTokens;
  readonly clock: Clock;
  /** Offers in one piece, and a second and scan at most. */
  readonly piece?: number;
  readonly ratePerSecond?: number;
  /** Reads of the store at a time, of all scans together. A scan that is not read makes none. */
  readonly reads?: number;
};
export const SCAN_PARTS_MAX = 4_096;
/** `cursor`: where a scan goes on that was cut off after this piece. */
export type ScanPiece = { readonly views: readonly OfferView[]; readonly cursor: string };
export type ScanOffers = (
  query: { readonly parts: number; readonly part: number; readonly cursor?: string },
  signal: AbortSignal,
) => AsyncGenerator<Result<ScanPiece, InvalidInput | InvalidPageToken | Unavailable>>;

const rangeOf = (parts: number, part: number): ScanRange => ({
  from: Math.floor((ID_HASHES * part) / parts),
  to: Math.floor((ID_HASHES * (part + 1)) / parts),
});

/** Every offer of a part that is not removed, in pieces that fit into one answer, no faster than it is read and no faster than allowed. */
export const makeScanOffers = ({
  scan,
  tokens,
  clock,
  piece = 200,
  ratePerSecond = 20_000,
  reads = 2,
}: ScanOffersNeeds): ScanOffers => {
  const permitted = makePermits(reads);
  return async function* scanOffers({ parts, part, cursor }, signal) {
    if (!(parts >= 1 && parts <= SCAN_PARTS_MAX)) {
      yield err(invalidInput({ path: 'parts', code: 'OutOfRange', message: `from 1 to ${SCAN_PARTS_MAX}` }));
      return;
    }
    if (!(part >= 0 && part < parts)) {
      yield err(invalidInput({ path: 'part', code: 'OutOfRange', message: `from 0 to ${parts - 1}` }));
      return;
    }
    const query = `scan/${part}/${parts}`;
    const start = cursor === undefined ? ok(undefined) : tokens.decode(query, cursor);
    if (start.isErr()) {
      yield err(start.error);
      return;
    }
    const [hash, offerId] = start.value ?? [];
    let after: ScanPlace | undefined =
      start.value && ({ hash: Number(hash), offerId: String(offerId) as OfferId } satisfies ScanPlace);
    while (!signal.aborted) {
      const range = { ...rangeOf(parts, part), ...(after ? { after } : {}) };
      const page = await permitted(() => scan.scan(range, piece));
      if (page.isErr()) {
        yield err(page.error);
        return;
      }
      const { offers, last } = page.value;
      const tail = offers.at(-1);
      const end = last ?? (tail ? { hash: idHashOf(tail.id), offerId: tail.id } : after);
      const cursorAt = (place: ScanPlace | undefined): string =>
        place ? tokens.encode(query, [place.hash, place.offerId]) : (cursor ?? '');
      let rest = offers;
      for (
        let fits = countFitting(rest, offerBytes);
        fits < rest.length;
        fits = countFitting(rest, offerBytes)
      ) {
        const first = rest.slice(0, fits);
        const { id } = first.at(-1)!;
        yield ok({ views: first.map(viewOf), cursor: cursorAt({ hash: idHashOf(id), offerId: id }) });
        rest = rest.slice(fits);
      }
      if (rest.length > 0 || last) yield ok({ views: rest.map(viewOf), cursor: cursorAt(end) });
      if (!last) return;
      after = last;
      await sleep(clock, (offers.length * 1_000) / ratePerSecond, signal);
    }
  };
};
