import { err, ok, type Result } from 'neverthrow';
import type { PageKey } from '../../kernel/index.ts';
import type { Cursor } from '../../vasgen/index.ts';

/** What a page token fixes for all pages of a query, besides the place of the last hit. */
export type PagePlace = {
  readonly epoch: number;
  /** The moment that ages are counted from. */
  readonly nowMs: number;
  readonly after: Cursor;
};

export const pageKeyOf = ({ epoch, nowMs, after }: PagePlace): PageKey => [
  epoch,
  nowMs,
  after.pk,
  ...after.values,
];
export const pagePlaceOf = (key: PageKey): Result<PagePlace, 'malformed'> => {
  const [epoch, nowMs, pk, ...values] = key;
  if (typeof epoch !== 'number' || typeof nowMs !== 'number' || typeof pk !== 'string')
    return err('malformed');
  if (values.some((value) => typeof value === 'boolean')) return err('malformed');
  return ok({ epoch, nowMs, after: { pk, values: values as (number | string | null)[] } });
};
