import type { EventSettings } from './search-event.ts';

/** The rate of an offer that begins with the impressions of the prior. */
export const rateWithPrior = (
  { impressions, clicks }: { readonly impressions: number; readonly clicks: number },
  prior: EventSettings['prior'],
): number => {
  const seen = impressions + prior.impressions;
  const rate = seen === 0 ? 0 : (clicks + prior.impressions * prior.rate) / seen;
  return Math.round(Math.min(1, rate) * 1e6) / 1e6;
};
