import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import {
  mapBounded,
  type Clock,
  type GenericStorage,
  type StoredValue,
  type Unavailable,
  type ValueTooLarge,
  type VersionConflict,
} from '../../kernel/index.ts';
import type { Photo } from '../domain/photo.ts';
import { isFresh, isWorthRemembering, memoryKey, type MemorySettings } from '../domain/remembered.ts';
import type { PhotoCodecs } from '../ports/photo-codecs.port.ts';

const SPACE = 'photos';
const PAGE = 1_000;

/** What became of URLs lately: a redelivered request is answered as the first time, a picture of two offers fetched once. */
export interface PhotoMemory {
  recall(url: string): ResultAsync<Photo | undefined, Unavailable>;
  remember(photo: Photo): ResultAsync<void, Unavailable>;
  /** What is remembered of the URL with this key, if anything, is remembered no more. */
  forget(urlKey: string): ResultAsync<void, Unavailable>;
  /** Deletes entries that are too old to be used and returns how many; ends early when `signal` aborts. */
  sweep(signal: AbortSignal): ResultAsync<number, Unavailable>;
}

type Needs = {
  readonly storage: GenericStorage;
  readonly codec: PhotoCodecs['remembered'];
  readonly clock: Clock;
  readonly settings: MemorySettings;
};

export const makePhotoMemory = ({ storage, codec, clock, settings }: Needs): PhotoMemory => {
  const stored = (key: string) =>
    storage.get(SPACE, [key]).map(([value]) => ({
      version: value?.version ?? 0,
      // Bytes of another version, or another program, are as good as none.
      photo: value && codec.decode(value.value).unwrapOr(undefined),
    }));
  /** Another process was faster: it stores the same. */
  const orElsewhere = (
    written: ResultAsync<unknown, VersionConflict | ValueTooLarge | Unavailable>,
  ): ResultAsync<void, Unavailable> =>
    written
      .map(() => undefined)
      .orElse((error) => (error.kind === 'Unavailable' ? errAsync(error) : okAsync(undefined)));

  const isStale = ({ value }: StoredValue): boolean => {
    const photo = codec.decode(value).unwrapOr(undefined);
    return !photo || !isFresh(photo, clock.nowMs(), settings);
  };
  const sweep = async (signal: AbortSignal): Promise<Result<number, Unavailable>> => {
    let swept = 0;
    for (let after: string | undefined; ;) {
      const page = await storage.list(SPACE, { limit: PAGE, ...(after === undefined ? {} : { after }) });
      if (page.isErr()) return err(page.error);
      const stale = page.value.filter(isStale);
      const removed = await mapBounded(stale, 4, ({ key, version }) =>
        orElsewhere(storage.remove(SPACE, key, version)),
      );
      if (removed.isErr()) return err(removed.error);
      swept += stale.length;
      after = page.value.at(-1)?.key;
      if (page.value.length < PAGE || signal.aborted) return ok(swept);
    }
  };

  return {
    recall: (url) =>
      stored(memoryKey(url)).map(({ photo }) =>
        photo && photo.url === url && isFresh(photo, clock.nowMs(), settings)
          ? { url: photo.url, outcome: photo.outcome }
          : undefined,
      ),
    remember: (photo) => {
      if (!isWorthRemembering(photo, settings)) return okAsync(undefined);
      const key = memoryKey(photo.url);
      return stored(key).andThen(({ version }) =>
        orElsewhere(storage.put(SPACE, key, codec.encode({ ...photo, fetchedAtMs: clock.nowMs() }), version)),
      );
    },
    forget: (key) =>
      storage
        .get(SPACE, [key])
        .andThen(([found]) =>
          found ? orElsewhere(storage.remove(SPACE, key, found.version)) : ok<void, Unavailable>(undefined),
        ),
    sweep: (signal) => new ResultAsync(sweep(signal)),
  };
};
