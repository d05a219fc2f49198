import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import {
  unavailable,
  type BlobHash,
  type Erasing,
  type Forgetting,
  type Keeping,
  type Unavailable,
} from '../../kernel/index.ts';
import type { ImageId } from '../domain/photo.ts';
import type { ImageStore } from './image-store.ts';
import type { PhotoMetrics } from './photo-metrics.ts';
import type { PhotoUses } from './photo-uses.ts';
import type { Unused, UnusedQueue } from './unused.ts';

export type ForgetPhotosNeeds = {
  readonly store: ImageStore;
  /** Held by uses of offers. */
  readonly images: Keeping;
  /** Held by images. */
  readonly renditions: Keeping;
  readonly uses: PhotoUses;
  readonly unused: UnusedQueue;
  readonly metrics: PhotoMetrics;
};
/**
 * Deletes pictures that no offer names any more; returns how many candidates it looked at. What a run that died left
 * half-way, a later one finishes.
 */
export type ForgetPhotos = (signal: AbortSignal) => ResultAsync<number, Unavailable>;

export const makeForgetPhotos = (needs: ForgetPhotosNeeds): ForgetPhotos => {
  const { store, images, renditions, uses, unused, metrics } = needs;
  const tooLate = (): ResultAsync<never, Unavailable> => errAsync(unavailable('forgetting took too long'));

  const imageErasing = (imageId: ImageId): Erasing => {
    const release = async (parts: readonly BlobHash[]): Promise<Result<void, Unavailable>> => {
      for (const part of parts) {
        const released = await unused
          .note({ kind: 'blob', name: part }, 'now')
          .andThen(() => renditions.letGo(part, imageId));
        if (released.isErr()) return err(released.error);
      }
      metrics.forgotten();
      return ok(undefined);
    };
    return {
      isHolding: (holder) => uses.isHolding(imageId, holder),
      // The list goes first: a picture that can be found is there in every size.
      erase: (parts, mayGoOn) =>
        mayGoOn() ? store.deleteManifest(imageId).andThen(() => new ResultAsync(release(parts))) : tooLate(),
      isStored: () => store.has(imageId),
      // Once more: a late hold may have kept one of them.
      bury: (parts) =>
        ResultAsync.combine(parts.map((part) => unused.note({ kind: 'blob', name: part }, 'now'))).map(
          () => undefined,
        ),
    };
  };
  const blobErasing = (blob: BlobHash): Erasing => ({
    isHolding: (image) => images.isThere(image),
    erase: (_parts, mayGoOn) => (mayGoOn() ? store.deleteRendition(blob) : tooLate()),
    isStored: () => store.hasRendition(blob),
    bury: () => okAsync(undefined),
  });

  const outcomeOf = (
    forgetting: ResultAsync<Forgetting, Unavailable>,
  ): ResultAsync<'done' | 'later', Unavailable> =>
    forgetting.map((outcome) => (outcome === 'later' ? 'later' : 'done'));
  const look = ({ kind, name }: Unused): ResultAsync<'done' | 'later', Unavailable> => {
    switch (kind) {
      case 'image':
        return outcomeOf(images.forget(name, imageErasing(name as ImageId)));
      case 'blob':
        return outcomeOf(renditions.forget(name, blobErasing(name as BlobHash)));
      case 'offer':
        return uses.tidy(name).map(() => 'done' as const);
    }
  };
  return (signal) => unused.review(look, signal);
};
