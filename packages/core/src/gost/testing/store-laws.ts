import { cabinet, PRESETS, type Preset } from '../cabinet/presets.ts';
import { offerStatus, type Offer, type SellerId } from '../offer/offer.ts';
import type { HistoryEntry } from '../history/history.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { PresetPlace } from '../cabinet/cabinet.port.ts';
import type { GostStores } from '../gost-stores.port.ts';

/** Versions of an offer in the order in which the topic told them. */
export type Told = ReadonlyMap<OfferId, readonly number[]>;
const PAGE = 500;
const presets = Object.keys(PRESETS) as Preset[];

const offersOf = async ({ scan }: GostStores, seller: SellerId): Promise<readonly Offer[]> => {
  const all: Offer[] = [];
  for (let after: OfferId | undefined; ;) {
    const page = (await scan.ofSeller(seller, { limit: PAGE, ...(after ? { after } : {}) }))._unsafeUnwrap();
    all.push(...page);
    after = page.at(-1)?.id;
    if (!after) return all;
  }
};
const linesOf = async (stores: GostStores, seller: SellerId, preset: Preset): Promise<readonly OfferId[]> => {
  const all: OfferId[] = [];
  for (let after: PresetPlace | undefined; ;) {
    const list = { seller, preset, limit: PAGE, ...(after ? { after } : {}) };
    const page = (await stores.cabinet.page(list))._unsafeUnwrap();
    all.push(...page.map(({ offerId }) => offerId));
    after = page.at(-1);
    if (!after) return all;
  }
};
const totalsOf = (offers: readonly Offer[], history: readonly HistoryEntry[]) => {
  const standing = (total: string): number =>
    offers.filter((offer) => cabinet[offerStatus(offer)].total === total).length;
  const sales = history.flatMap(({ sale }) => (sale ? [sale] : []));
  const money = new Map<string, number>();
  for (const { earned } of sales)
    if (earned) money.set(earned.currency, (money.get(earned.currency) ?? 0) + earned.minorUnits);
  return {
    Active: standing('Active'),
    Expired: standing('Expired'),
    Banned: standing('Banned'),
    Sold: sales.length,
    MoneyEarned: Object.fromEntries([...money].filter(([, sum]) => sum !== 0)),
  };
};
const differs = (what: string, found: unknown, expected: unknown): string[] =>
  JSON.stringify(found) === JSON.stringify(expected)
    ? []
    : [`${what}: ${JSON.stringify(found)} instead of ${JSON.stringify(expected)}`];

const toldWrong = (offer: Offer, history: readonly HistoryEntry[], told: Told): string[] => {
  const seen = told.get(offer.id) ?? [];
  const expected = history.map(({ version }) => version);
  const backwards = seen.some((version, i) => version < (seen[i - 1] ?? 0));
  return [
    ...(backwards ? [`${offer.id} was told backwards: ${seen.join(' ')}`] : []),
    ...differs(`${offer.id} in the topic`, [...new Set(seen)], expected),
  ];
};

/** What must be true of a seller when everybody has finished; every line is a law that is broken. Asks the ports only. */
export const brokenLaws = async (stores: GostStores, seller: SellerId, told: Told): Promise<string[]> => {
  const offers = await offersOf(stores, seller);
  const broken: string[] = [];
  const history: HistoryEntry[] = [];
  for (const offer of offers) {
    const entries = [...(await stores.offers.history(offer.id, { limit: 1_000 }))._unsafeUnwrap()].reverse();
    history.push(...entries);
    const versions = entries.map(({ version }) => version);
    broken.push(
      ...differs(
        `${offer.id}: versions`,
        versions,
        Array.from({ length: offer.version }, (_, n) => n + 1),
      ),
      ...entries.flatMap(({ atUs, version }, i) =>
        atUs > (entries[i - 1]?.atUs ?? 0) ? [] : [`${offer.id} v${version} is not later`],
      ),
      ...toldWrong(offer, entries, told),
    );
  }
  const counts = (await stores.cabinet.counts(seller))._unsafeUnwrap();
  for (const preset of presets) {
    const lines = [...(await linesOf(stores, seller, preset))].sort();
    const expected = offers
      .filter((offer) => (cabinet[offerStatus(offer)].presets as readonly Preset[]).includes(preset))
      .map(({ id }) => id)
      .sort();
    broken.push(
      ...differs(`list ${preset}`, lines, expected),
      ...differs(`count ${preset}`, counts[preset], lines.length),
    );
  }
  const { MoneyEarned, ...rest } = (await stores.cabinet.totals(seller))._unsafeUnwrap();
  const { MoneyEarned: earned, ...others } = totalsOf(offers, history);
  return [
    ...broken,
    ...differs('totals', rest, others),
    ...differs(
      'money',
      Object.entries(MoneyEarned)
        .filter(([, sum]) => sum !== 0)
        .sort(),
      Object.entries(earned).sort(),
    ),
  ];
};
