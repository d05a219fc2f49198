import { unitBytes, type CommitUnit } from '../domain/commit-unit.ts';
import { COMMIT_BYTES_MAX } from '../ports/offer-store.port.ts';

/** More in one transaction gains nothing and makes the others wait. */
export const GROUP_UNITS_MAX = 50;

/** In their order, in groups that any database takes as one transaction. One that is too large by itself goes alone. */
export const groupsOf = <T>(
  items: readonly T[],
  unitOf: (item: T) => CommitUnit,
): readonly (readonly T[])[] => {
  const groups: T[][] = [];
  let bytes = 0;
  for (const item of items) {
    const more = unitBytes(unitOf(item));
    const last = groups.at(-1);
    if (last && last.length < GROUP_UNITS_MAX && bytes + more <= COMMIT_BYTES_MAX) {
      last.push(item);
      bytes += more;
    } else {
      groups.push([item]);
      bytes = more;
    }
  }
  return groups;
};
