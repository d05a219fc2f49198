import { err, ok, type Result } from 'neverthrow';
import {
  invalidInput,
  sleep,
  type Clock,
  type InvalidInput,
  type InvalidPageToken,
  type PageTokens,
  type Unavailable,
} from '../../kernel/index.ts';
import type { OfferId } from '../domain/offer-id.ts';
import { viewOf, type OfferView } from '../domain/offer-view.ts';
import {
  ID_HASHES,
  idHashOf,
  type OfferScan,
  type ScanPlace,
  type ScanRange,
} from '../ports/offer-scan.port.ts';

export type ScanOffersNeeds = {
  readonly scan: OfferScan;
  readonly tokens: PageTokens;
  readonly clock: Clock;
  /** Offers in one piece, and a second and scan at most. */
  readonly piece?: number;
  readonly ratePerSecond?: number;
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

/** Every offer of a part that is not removed, piece by piece, no faster than it is read and no faster than allowed. */
export const makeScanOffers = ({
  scan,
  tokens,
  clock,
  piece = 200,
  ratePerSecond = 20_000,
}: ScanOffersNeeds): ScanOffers =>
  async function* scanOffers({ parts, part, cursor }, signal) {
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
      const page = await scan.scan({ ...rangeOf(parts, part), ...(after ? { after } : {}) }, piece);
      if (page.isErr()) {
        yield err(page.error);
        return;
      }
      const { offers, last } = page.value;
      const tail = offers.at(-1);
      const end = last ?? (tail ? { hash: idHashOf(tail.id), offerId: tail.id } : after);
      if (offers.length > 0 || last)
        yield ok({
          views: offers.map(viewOf),
          cursor: end ? tokens.encode(query, [end.hash, end.offerId]) : (cursor ?? ''),
        });
      if (!last) return;
      after = last;
      await sleep(clock, (offers.length * 1_000) / ratePerSecond, signal);
    }
  };
