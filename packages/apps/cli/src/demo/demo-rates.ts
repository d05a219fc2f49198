import { searchCtrClient, type GrpcChannel, type RpcError, type SentRate } from '@doska/adapters-grpc';
import { CTR_ROWS_MAX } from '@doska/core/search';
import { err, ok, type Result } from 'neverthrow';
import { diceOf } from './demo-offers.ts';

/** The share of offers that were seen lately. */
const SEEN_SHARE = 0.4;
const RATE_MIN = 0.005;
const RATE_SPAN = 0.3;
const PREFIX = 'demo-';

export type SeededRates =
  | { readonly kind: 'loaded'; readonly rows: number }
  | { readonly kind: 'there'; readonly rows: number }
  /** Rates of a table that this command did not make are not replaced. */
  | { readonly kind: 'others'; readonly table: string };

/** The made-up click rate of an offer, the same each time. Few offers have a high one. Undefined: it was not seen. */
export const demoRate = (seed: number, offerId: string): number | undefined => {
  const dice = diceOf(`${seed}/rate/${offerId}`);
  if (dice() >= SEEN_SHARE) return undefined;
  return Math.round((RATE_MIN + RATE_SPAN * dice() ** 4) * 10_000) / 10_000;
};

const slicesOf = <T>(rows: readonly T[]) =>
  Array.from({ length: Math.max(1, Math.ceil(rows.length / CTR_ROWS_MAX)) }, (_, at) => ({
    rowsBefore: at * CTR_ROWS_MAX,
    rows: rows.slice(at * CTR_ROWS_MAX, (at + 1) * CTR_ROWS_MAX),
    isLast: (at + 1) * CTR_ROWS_MAX >= rows.length,
  }));

/** Loads a weekly table of made-up rates, and an hourly one that brings these rates into the index. */
export const seedRates = async (
  channel: GrpcChannel,
  seed: number,
  offerIds: readonly string[],
): Promise<Result<SeededRates, RpcError>> => {
  const ctr = searchCtrClient(channel);
  const status = await ctr.status();
  if (status.isErr()) return err(status.error);
  const { current } = status.value;
  if (current && !current.table.startsWith(PREFIX)) return ok({ kind: 'others', table: current.table });
  const rates = offerIds.toSorted().flatMap((offerId, at): SentRate[] => {
    const rate = demoRate(seed, offerId);
    return rate === undefined ? [] : [{ offerId, ctr: rate, line: at + 1 }];
  });
  const table = `${PREFIX}${seed}-${rates.length}`;
  const isThere = current?.table === table && status.value.hourly.some((one) => one.table === table);
  if (isThere || rates.length === 0) return ok({ kind: 'there', rows: rates.length });
  for (const { rows, ...slice } of slicesOf(rates)) {
    const sent = await ctr.appendRates({ table, ...slice }, rows);
    if (sent.isErr()) return err(sent.error);
  }
  for (const { rows, ...slice } of slicesOf(rates)) {
    const ids = rows.map(({ offerId }) => offerId);
    const sent = await ctr.appendHourly({ table, ...slice }, ids);
    if (sent.isErr()) return err(sent.error);
  }
  return ok({ kind: 'loaded', rows: rates.length });
};
