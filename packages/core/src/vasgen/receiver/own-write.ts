import type { RowHead, RegistryRow } from '../registry/registry-row.ts';

/** Whether the row that stands is this very write, whose answer was lost: the same place, content and time of writing. */
export const isOwnWrite = (
  row: Pick<RegistryRow, 'place' | 'contentHash' | 'writtenAtMs'>,
  stored: Pick<RowHead, 'place' | 'contentHash' | 'writtenAtMs'>,
): boolean =>
  stored.contentHash === row.contentHash &&
  stored.writtenAtMs === row.writtenAtMs &&
  stored.place.version === row.place.version &&
  stored.place.timestampMs === row.place.timestampMs &&
  stored.place.kind === row.place.kind;
