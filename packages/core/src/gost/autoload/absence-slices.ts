import { COMMIT_BYTES_MAX, COMMIT_UNITS_MAX, unitBytes } from '../commit/commit-unit.ts';
import type { OfferChange } from '../offer/offer-change.ts';

/** Cuts the decisions, in their order, into slices that fit one commit. A single one that is too large stands alone. */
export const slicesOf = <T extends { readonly change?: OfferChange | undefined }>(
  decisions: readonly T[],
): readonly (readonly T[])[] => {
  const slices: T[][] = [];
  let bytes = 0;
  for (const decision of decisions) {
    const more = unitBytes({ changes: decision.change ? [decision.change] : [] });
    const last = slices.at(-1);
    if (last && last.length < COMMIT_UNITS_MAX && bytes + more <= COMMIT_BYTES_MAX) {
      last.push(decision);
      bytes += more;
    } else {
      slices.push([decision]);
      bytes = more;
    }
  }
  return slices;
};
