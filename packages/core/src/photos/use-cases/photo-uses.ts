import { err, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import {
  unavailable,
  type BlobHash,
  type Codec,
  type GenericStorage,
  type Unavailable,
  type Keeping,
} from '../../kernel/index.ts';
import {
  holderOf,
  noUses,
  offerOfHolder,
  useOf,
  usesAfter,
  withImage,
  type OfferUses,
  type PhotoUse,
} from '../domain/offer-uses.ts';
import type { ImageId, PhotoRequest } from '../domain/photo.ts';
import type { PhotoMemory } from './photo-memory.ts';
import type { UnusedQueue } from './unused.ts';

const SPACE = 'photo-offers';

/** The uses of one offer, while one of its requests is handled. */
export interface OfferLedger {
  /** False: the offer has let go of it since. */
  names(url: string): boolean;
  /**
   * From now on the picture stays for the offer's sake; another one that the URL was before is let go. `parts` as in
   * `Keeping.hold`.
   */
  use(
    url: string,
    imageId: ImageId,
    parts?: readonly BlobHash[],
  ): ResultAsync<'kept' | 'new' | 'absent', Unavailable>;
}

/** Who uses which picture: the offers, as their requests say, whatever is delivered twice, late, or half-way. */
export interface PhotoUses {
  /** Notes what a request says. A late one changes nothing. */
  begin(request: PhotoRequest): ResultAsync<OfferLedger, Unavailable>;
  /** Does the use behind this hold on the picture still exist? */
  isHolding(imageId: ImageId, holder: string): ResultAsync<boolean, Unavailable>;
  /** An offer that names nothing is forgotten, unless it does again. */
  tidy(offerId: string): ResultAsync<void, Unavailable>;
}

type Needs = {
  readonly storage: GenericStorage;
  readonly codec: Codec<OfferUses>;
  readonly images: Keeping;
  readonly unused: UnusedQueue;
  readonly memory: PhotoMemory;
};
type Row = { readonly uses: OfferUses; readonly version: number };

export const makePhotoUses = ({ storage, codec, images, unused, memory }: Needs): PhotoUses => {
  const rowOf = (offerId: string): ResultAsync<Row, Unavailable> =>
    storage.get(SPACE, [offerId]).andThen(([found]) =>
      found
        ? codec
            .decode(found.value)
            .map((uses) => ({ uses, version: found.version }))
            .mapErr((cause) => unavailable('photo uses', cause, false))
        : ok({ uses: noUses, version: 0 }),
    );
  const write = (offerId: string, uses: OfferUses, expected: number): ResultAsync<Row, Unavailable> =>
    storage
      .put(SPACE, offerId, codec.encode(uses), expected)
      .map((version) => ({ uses, version }))
      // A conflict: another process handles a request of the same offer. The next attempt reads what it wrote.
      .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('photo uses', error)));
  /** The row is written before the note: a reader of the note finds the use gone. */
  const drop = (offerId: string, use: PhotoUse): ResultAsync<void, Unavailable> => {
    const { imageId } = use;
    if (imageId === undefined) return okAsync(undefined);
    return unused
      .note({ kind: 'image', name: imageId })
      .andThen(() => images.letGo(imageId, holderOf(offerId, use)));
  };
  /** What is gone is let go. A crash before the end leaves it in the row, for the next attempt. */
  const settled = async (offerId: string, row: Row): Promise<Result<Row, Unavailable>> => {
    if (row.uses.gone.length === 0) return ok(row);
    for (const use of row.uses.gone) {
      const dropped = await drop(offerId, use);
      if (dropped.isErr()) return err(dropped.error);
    }
    return write(offerId, { ...row.uses, gone: [] }, row.version);
  };

  const ledgerOf = (offerId: string, begun: Row): OfferLedger => {
    let row = begun;
    const use = async (
      url: string,
      imageId: ImageId,
      parts: readonly BlobHash[] | undefined,
    ): Promise<Result<'kept' | 'new' | 'absent', Unavailable>> => {
      const known = useOf(row.uses, url);
      if (!known) return err(unavailable('photo use of a URL that was not asked for', url, false));
      if (known.imageId !== imageId) {
        // Before the picture is held: a hold is worth what stands here.
        const written = await write(offerId, withImage(row.uses, known, imageId), row.version);
        if (written.isErr()) return err(written.error);
        const next = await settled(offerId, written.value);
        if (next.isErr()) return err(next.error);
        row = next.value;
      }
      return images.hold(imageId, holderOf(offerId, known), parts);
    };
    // One after another: they rewrite one row.
    let last: Promise<unknown> = Promise.resolve();
    return {
      names: (url) => useOf(row.uses, url) !== undefined,
      use: (url, imageId, parts) => {
        const next = last.then(() => use(url, imageId, parts));
        last = next;
        return new ResultAsync(next);
      },
    };
  };
  /** While the row still knows their keys; again when the request comes again. */
  const forgetUrls = async (uses: OfferUses): Promise<Result<void, Unavailable>> => {
    for (const { urlKey } of uses.uses) {
      const forgotten = await memory.forget(urlKey);
      if (forgotten.isErr()) return err(forgotten.error);
    }
    return ok(undefined);
  };
  const begin = async (request: PhotoRequest): Promise<Result<OfferLedger, Unavailable>> => {
    const { offerId, released } = request;
    const found = await rowOf(offerId);
    if (found.isErr()) return err(found.error);
    const { uses, version } = found.value;
    const after = usesAfter(uses, request);
    if (after !== uses && released === 'all') {
      const forgotten = await forgetUrls(uses);
      if (forgotten.isErr()) return err(forgotten.error);
    }
    const written = after === uses ? ok(found.value) : await write(offerId, after, version);
    const row = written.isOk() ? await settled(offerId, written.value) : written;
    if (row.isErr()) return err(row.error);
    if (row.value.version > 0 && row.value.uses.uses.length === 0) {
      const noted = await unused.note({ kind: 'offer', name: offerId });
      if (noted.isErr()) return err(noted.error);
    }
    return ok(ledgerOf(offerId, row.value));
  };

  return {
    begin: (request) => new ResultAsync(begin(request)),
    isHolding: (imageId, holder) => {
      const offerId = offerOfHolder(holder);
      return rowOf(offerId).map(({ uses }) =>
        uses.uses.some((use) => use.imageId === imageId && holderOf(offerId, use) === holder),
      );
    },
    tidy: (offerId) =>
      rowOf(offerId).andThen(({ uses, version }) =>
        version === 0 || uses.uses.length + uses.gone.length > 0
          ? ok<void, Unavailable>(undefined)
          : storage
              .remove(SPACE, offerId, version)
              .orElse((error) => (error.kind === 'Unavailable' ? err(error) : ok(undefined))),
      ),
  };
};
