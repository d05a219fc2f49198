import { xxh64Upper } from '../../kernel/index.ts';
import type { Freshness } from './freshness.ts';

const HASHES = 2 ** 32;

/** Where a document stands in the hash space, from 0 up to but not including 2^32. Stores and engines share it. */
export const documentHash = (pk: string): number => xxh64Upper(pk);

/** The hash space in `parts` ranges of equal size: the part of a hash. */
export const partOfHash = (hash: number, parts: number): number => Math.floor((hash * parts) / HASHES);

/** What a digest is taken over: the whole place, or the version alone (to compare two epochs). */
export type DigestOver = 'place' | 'version';

/** What one living document adds to the checksum of its part. */
export const digestTerm = (
  over: DigestOver,
  pk: string,
  { epoch, version, timestampMs, kind }: Freshness,
): number =>
  xxh64Upper(
    over === 'version'
      ? `${version} ${pk}`
      : `${epoch} ${version} ${timestampMs} ${kind === 'expiry' ? 1 : 0} ${pk}`,
  );

/**
 * The living documents of a part: how many, and the sum of their terms. A sum has no order, and it is exact in a double
 * for up to 2,097,152 documents a part.
 */
export type PartDigest = { readonly count: number; readonly sum: number };

/** Digests of all parts, filled document by document. */
export class DigestParts {
  readonly #over: DigestOver;
  readonly #parts: { count: number; sum: number }[];

  constructor(parts: number, over: DigestOver) {
    this.#over = over;
    this.#parts = Array.from({ length: parts }, () => ({ count: 0, sum: 0 }));
  }

  add(pk: string, freshness: Freshness): void {
    const part = this.#parts[partOfHash(documentHash(pk), this.#parts.length)]!;
    part.count++;
    part.sum += digestTerm(this.#over, pk, freshness);
  }

  result(): readonly PartDigest[] {
    return this.#parts.map((part) => ({ ...part }));
  }
}
