import { err, ok, type Result } from 'neverthrow';
import { parseOfferId, type OfferId } from '../../gost/index.ts';

/** What analysts deliver: `weekly` has a rate for each offer, `hourly` names the offers that were seen in one hour. */
export const TABLE_KINDS = ['weekly', 'hourly'] as const;
export type TableKind = (typeof TABLE_KINDS)[number];

/** A row as the source has it. `line` is where it stands, beginning with 1. */
export type TableRow = {
  readonly line: number;
  readonly values: Readonly<Record<string, string | number>>;
};
/** What is wrong in a line of a table. */
export type BadLine = { readonly line: number; readonly message: string };
export type OfferRate = { readonly offerId: OfferId; readonly ctr: number };

const NUMBER = /^[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?$/;
const shown = (value: string | number): string => JSON.stringify(value).slice(0, 60);

export const offerOf = ({ line, values }: TableRow): Result<OfferId, BadLine> => {
  const text = values['offer_id'];
  if (text === undefined) return err({ line, message: 'the column offer_id is missing' });
  return parseOfferId(String(text)).mapErr(() => ({
    line,
    message: `offer_id ${shown(text)} is no id of an offer`,
  }));
};
/** A rate is the share of impressions that were clicked. */
export const isRate = (value: number): boolean => value >= 0 && value <= 1;

export const rateOf = (row: TableRow): Result<OfferRate, BadLine> =>
  offerOf(row).andThen((offerId) => {
    const { line, values } = row;
    const value = values['ctr'];
    if (value === undefined) return err({ line, message: 'the column ctr is missing' });
    const ctr = typeof value === 'number' ? value : NUMBER.test(value.trim()) ? Number(value) : NaN;
    return isRate(ctr)
      ? ok({ offerId, ctr })
      : err({ line, message: `ctr ${shown(value)} is no number from 0 to 1` });
  });

/** All rows, or the first line that is wrong. An offer may stand in a table once. */
export const eachOnce = <T>(
  rows: readonly TableRow[],
  read: (row: TableRow) => Result<T, BadLine>,
  idOf: (one: T) => OfferId,
): Result<readonly T[], BadLine> => {
  const seen = new Set<OfferId>();
  const all: T[] = [];
  for (const row of rows) {
    const one = read(row);
    if (one.isErr()) return err(one.error);
    const id = idOf(one.value);
    if (seen.has(id)) return err({ line: row.line, message: `offer ${id} stands in the table twice` });
    seen.add(id);
    all.push(one.value);
  }
  return ok(all);
};
