import type { ResultAsync } from 'neverthrow';
import { PRESETS, type PresetList, type RepairStep } from '@doska/core/gost/storage';
import type { Unavailable } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';
import { presetCounts } from '../schema/gost-tables.ts';
import type { CountRow } from './commit-state.ts';

export const COUNT_READ = query({
  name: 'gost/count-read',
  parameters: { seller: 'Utf8', preset: 'Uint32' },
  results: [presetCounts.columns],
  text: `SELECT seller, preset, counter, repair_at_us, repair_offer_id, repair_partial
FROM gost_user_offer_presets_count WHERE seller = $seller AND preset = $preset;`,
});
export const COUNT_AND_LINES = query({
  name: 'gost/count-and-lines',
  parameters: { seller: 'Utf8', preset: 'Uint32', at: 'Uint64', offer_id: 'Utf8', limit: 'Uint64' },
  results: [presetCounts.columns, { created_at_us: 'Uint64', offer_id: 'Utf8' }],
  text: `SELECT seller, preset, counter, repair_at_us, repair_offer_id, repair_partial
FROM gost_user_offer_presets_count WHERE seller = $seller AND preset = $preset;
SELECT created_at_us, offer_id FROM gost_user_offer_presets
WHERE seller = $seller AND preset = $preset AND created_at_us <= $at AND (created_at_us < $at OR offer_id < $offer_id)
ORDER BY seller DESC, preset DESC, created_at_us DESC, offer_id DESC LIMIT $limit;`,
});
export const COUNT_WRITE = query({
  name: 'gost/count-write',
  parameters: { counts: rows(presetCounts.columns) },
  results: [],
  text: `UPSERT INTO gost_user_offer_presets_count
  SELECT seller, preset, counter, repair_at_us, repair_offer_id, repair_partial FROM AS_TABLE($counts);`,
});
export const countQueries = [COUNT_READ, COUNT_AND_LINES, COUNT_WRITE];

/** Above every line of a list. */
export const TOP = { at: Number.MAX_SAFE_INTEGER, offer_id: '' } as const;
type Place = { readonly at: number; readonly offer_id: string };
const placeOf = ({ repair_at_us: at, repair_offer_id }: CountRow): Place =>
  at === undefined ? TOP : { at, offer_id: repair_offer_id ?? '' };

/**
 * A writer changes the count with every line. It has committed before the step, and the step sees its line; or one of the
 * two is refused at the commit and starts again. `likely` is where the repair stood a moment ago: when it still stands
 * there the step takes no more trips than a writer, or the writers of a busy list would always be first.
 */
const stepFrom = (
  client: YdbClient,
  list: { readonly seller: string; readonly preset: number },
  likely: Place,
  limit: number,
): ResultAsync<RepairStep, Unavailable> =>
  client.write('gost.cabinet.repairStep', async (tx): Promise<RepairStep> => {
    const [[row], guessed] = await tx.run(COUNT_AND_LINES, { ...list, ...likely, limit });
    if (!row) return { done: true, counted: 0, drift: 0 };
    const place = placeOf(row);
    const stood = place.at === likely.at && place.offer_id === likely.offer_id;
    const lines = stood ? guessed : (await tx.run(COUNT_AND_LINES, { ...list, ...place, limit }))[1];
    const counted = (row.repair_at_us === undefined ? 0 : row.repair_partial) + lines.length;
    const end = lines.length < limit ? undefined : lines.at(-1);
    const repair = {
      repair_at_us: end?.created_at_us,
      repair_offer_id: end?.offer_id,
      repair_partial: end ? counted : 0,
    };
    await tx.commit(COUNT_WRITE, { counts: [{ ...row, ...repair, counter: end ? row.counter : counted }] });
    return end ? { done: false } : { done: true, counted, drift: row.counter - counted };
  });
export const repairStep = (
  client: YdbClient,
  { seller, preset }: PresetList,
  limit: number,
): ResultAsync<RepairStep, Unavailable> => {
  const list = { seller, preset: PRESETS[preset] };
  return client
    .read('gost.cabinet.count', async (tx) => (await tx.commit(COUNT_READ, list))[0][0])
    .andThen((row) => stepFrom(client, list, row ? placeOf(row) : TOP, limit));
};
