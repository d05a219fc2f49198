import {
  DigestParts,
  documentHash,
  partOfHash,
  type DigestPlan,
  type DocumentPlace,
  type PartDigest,
  type PlacesPlan,
} from '@doska/core/vasgen';
import { livingDocuments } from './living-documents.ts';
import type { SearchIndex } from './search-index.ts';

/** The digests of this moment, in slices. */
export const digestOf = (index: SearchIndex, plan: DigestPlan): Generator<void, readonly PartDigest[]> => {
  const each = livingDocuments(index);
  return (function* () {
    const digests = new DigestParts(plan.parts, plan.over);
    yield* each((pk, freshness) => digests.add(pk, freshness()));
    return digests.result();
  })();
};

/** A page of a part as it is at this moment, in slices. */
export const placesOf = (
  index: SearchIndex,
  { part, parts, after, limit }: PlacesPlan,
): Generator<void, readonly DocumentPlace[]> => {
  const each = livingDocuments(index);
  return (function* () {
    const found: DocumentPlace[] = [];
    yield* each((pk, freshness) => {
      if (after !== undefined && pk <= after) return;
      if (partOfHash(documentHash(pk), parts) === part) found.push({ pk, freshness: freshness() });
    });
    return found.sort((a, b) => (a.pk < b.pk ? -1 : 1)).slice(0, limit);
  })();
};
