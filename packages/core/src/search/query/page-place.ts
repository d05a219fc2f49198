import { err, ok, type Result } from 'neverthrow';
import type { PageKey } from '../../kernel/index.ts';
import type { Cursor } from '../../vasgen/index.ts';

/** What a page token fixes for all pages of a query, besides the place of the last hit. */
export type PagePlace = {
  readonly epoch: number;
  /** The moment that ages are counted from. */
  readonly nowMs: number;
  /** The corrected text that the first page was found with; empty: the text of the request. */
  readonly corrected: string;
  readonly after: Cursor;
};

export const pageKeyOf = ({ epoch, nowMs, corrected, after }: PagePlace): PageKey => [
  epoch,
  nowMs,
  corrected,
  after.pk,
  ...after.values,
];
export const pagePlaceOf = (key: PageKey): Result<PagePlace, 'malformed'> => {
  const [epoch, nowMs, corrected, pk, ...values] = key;
  if (typeof epoch !== 'number' || typeof nowMs !== 'number') return err('malformed');
  if (typeof corrected !== 'string' || typeof pk !== 'string') return err('malformed');
  if (values.some((value) => typeof value === 'boolean')) return err('malformed');
  return ok({ epoch, nowMs, corrected, after: { pk, values: values as (number | string | null)[] } });
};
