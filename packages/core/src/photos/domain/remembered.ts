import { xxh64 } from '../../kernel/index.ts';
import type { Photo } from './photo.ts';

/** What became of a URL, and when it was asked. */
export type RememberedPhoto = Photo & { readonly fetchedAtMs: number };

export type MemorySettings = {
  /** A picture that was fetched so recently is not fetched again. */
  readonly readyMs: number;
  /** Sellers repair what failed for good, so that is looked at again sooner. What failed in passing is not remembered. */
  readonly failedMs: number;
};

/** Short, whatever the URL; two URLs that share it are told apart by the one that is stored with it. */
export const memoryKey = (url: string): string => xxh64(url).toString(16).padStart(16, '0');

const lifetimeMs = ({ outcome }: Photo, { readyMs, failedMs }: MemorySettings): number => {
  if (outcome.kind === 'ready') return readyMs;
  return outcome.permanent ? failedMs : 0;
};

/** A clock that went back makes nothing younger than it is: what seems to come from the future is not trusted. */
export const isFresh = (remembered: RememberedPhoto, nowMs: number, settings: MemorySettings): boolean => {
  const ageMs = nowMs - remembered.fetchedAtMs;
  return ageMs >= 0 && ageMs < lifetimeMs(remembered, settings);
};
export const isWorthRemembering = (photo: Photo, settings: MemorySettings): boolean =>
  lifetimeMs(photo, settings) > 0;
