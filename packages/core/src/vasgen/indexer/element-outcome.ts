import type { Freshness } from '../document/freshness.ts';
import type { QueueElement, QueueName } from '../queues/queue-element.ts';
import type { RegistryRow } from '../registry/registry-row.ts';

/**
 * What an indexer does with an element:
 * - `publish`: sends the row as it is now, an upsert or a delete. `early`: the row is newer than the element, and its own
 *   element waits in `bulk`.
 * - `gone`: the row is missing though its epoch lives. A delete is sent at the element's own place, and an alarm is raised.
 * - `superseded`: a newer element of the document comes. `finished`: the epoch is gone. Both are passed over.
 */
export type ElementOutcome =
  | { readonly kind: 'publish'; readonly row: RegistryRow; readonly early: boolean }
  | { readonly kind: 'gone'; readonly place: Freshness }
  | { readonly kind: 'superseded' }
  | { readonly kind: 'finished' };

const isSame = ({ epoch, version, timestampMs }: QueueElement, { place }: RegistryRow): boolean =>
  place.epoch === epoch && place.version === version && place.timestampMs === timestampMs;

export const elementOutcome = (
  queue: QueueName,
  element: QueueElement,
  row: RegistryRow | undefined,
  isLiving: boolean,
): ElementOutcome => {
  if (!isLiving) return { kind: 'finished' };
  if (!row) {
    const { epoch, version, timestampMs } = element;
    return { kind: 'gone', place: { epoch, version, timestampMs, kind: 'expiry' } };
  }
  if (isSame(element, row)) return { kind: 'publish', row, early: false };
  return row.lane === 'bulk' && queue !== 'bulk'
    ? { kind: 'publish', row, early: true }
    : { kind: 'superseded' };
};
