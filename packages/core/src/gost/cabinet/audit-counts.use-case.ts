import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import { PRESETS, type Preset } from './presets.ts';
import type { SellerId } from '../offer/offer.ts';
import type { Cabinet, PresetList, TotalDrift } from './cabinet.port.ts';

export type Drift = PresetList & { readonly counted: number; readonly drift: number };
export type SellerDrift = { readonly lists: readonly Drift[]; readonly totals: readonly TotalDrift[] };
/** `next`: where the following audit goes on; undefined when every list was looked at. */
export type Audit = {
  readonly checked: number;
  readonly drifted: readonly Drift[];
  readonly totals: readonly (TotalDrift & { readonly seller: SellerId })[];
  readonly next: PresetList | undefined;
};
const LINES_A_STEP = 1_000;

/** Sets one count right while its seller goes on; tells by how much it was off. */
export const repairCount = (
  cabinet: Cabinet,
  list: PresetList,
  linesAStep = LINES_A_STEP,
): ResultAsync<Drift, Unavailable> => {
  const repair = async (): Promise<Result<Drift, Unavailable>> => {
    for (;;) {
      const step = await cabinet.repairStep(list, linesAStep);
      if (step.isErr()) return err(step.error);
      if (step.value.done) return ok({ ...list, counted: step.value.counted, drift: step.value.drift });
    }
  };
  return new ResultAsync(repair());
};

/** All counts and totals of one seller. */
export const repairSeller = (cabinet: Cabinet, seller: SellerId): ResultAsync<SellerDrift, Unavailable> => {
  const repair = async (): Promise<Result<SellerDrift, Unavailable>> => {
    const lists: Drift[] = [];
    for (const preset of Object.keys(PRESETS) as Preset[]) {
      const repaired = await repairCount(cabinet, { seller, preset });
      if (repaired.isErr()) return err(repaired.error);
      if (repaired.value.drift !== 0) lists.push(repaired.value);
    }
    return cabinet.repairTotals(seller).map((totals) => ({ lists, totals }));
  };
  return new ResultAsync(repair());
};

/** Looks at the next few lists and says which counts were wrong; counting is repairing, so they are right afterwards. */
export const makeAuditCounts =
  (cabinet: Cabinet) =>
  (page: { readonly after?: PresetList; readonly limit: number }): ResultAsync<Audit, Unavailable> => {
    const audit = async (): Promise<Result<Audit, Unavailable>> => {
      const lists = await cabinet.lists(page);
      if (lists.isErr()) return err(lists.error);
      const drifted: Drift[] = [];
      const totals: Audit['totals'][number][] = [];
      for (const list of lists.value) {
        const repaired = await repairCount(cabinet, list);
        if (repaired.isErr()) return err(repaired.error);
        if (repaired.value.drift !== 0) drifted.push(repaired.value);
        if (list.preset !== 'all') continue; // a seller's totals once
        const mended = await cabinet.repairTotals(list.seller);
        if (mended.isErr()) return err(mended.error);
        totals.push(...mended.value.map((one) => ({ ...one, seller: list.seller })));
      }
      const next = lists.value.length < page.limit ? undefined : lists.value.at(-1);
      return ok({ checked: lists.value.length, drifted, totals, next });
    };
    return new ResultAsync(audit());
  };
