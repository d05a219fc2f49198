import type { Money } from '../../gost/index.ts';

/** Whole units of the common currency for one whole unit of each currency. */
export type Rates = Readonly<Record<string, number>>;

const MINOR_UNITS = 100;
/** The price in the common currency, to two decimals. Undefined without a price or without a rate. */
export const commonPrice = (price: Money | undefined, rates: Rates): number | undefined => {
  const rate = price && Object.hasOwn(rates, price.currency) ? rates[price.currency] : undefined;
  if (!price || rate === undefined) return undefined;
  return Math.round(price.minorUnits * rate) / MINOR_UNITS;
};
