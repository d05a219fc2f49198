import type { ToldHistory, ToldLocation, ToldOfferExplanation } from '@doska/adapters-grpc';

/** What each system says of an offer. `history` undefined: the offer store does not know it. */
export type OfferOnItsWay = {
  readonly offerId: string;
  readonly history: Pick<ToldHistory, 'status' | 'why'> | undefined;
  /** Troubles of the platform that name the offer, or block the offers. */
  readonly blocked: readonly string[];
  readonly located: ToldLocation;
  readonly explained: ToldOfferExplanation;
};
export type SearchVerdict = { readonly verdict: string; readonly steps: readonly string[] };

const serving = ({ located }: OfferOnItsWay) => located.epochs.find((one) => one.serving);

const inStore = ({ offerId, history }: OfferOnItsWay): string =>
  history
    ? `offer store: ${history.why[0] ?? history.status ?? 'unknown'}`
    : `offer store: there is no offer ${offerId}.`;
const inRegistry = (offer: OfferOnItsWay): string => {
  const row = serving(offer);
  if (!row) return 'registry: no epoch serves.';
  const queue = row.waiting === 0 ? 'its queue is empty' : `${row.waiting} elements wait in its queue`;
  return row.state === 'none'
    ? `registry: epoch ${row.epoch} has no document of it.`
    : `registry: epoch ${row.epoch} has it ${row.state}, version ${row.version}; ${queue}.`;
};
const inIndex = ({ explained }: OfferOnItsWay): string =>
  explained.version === undefined
    ? 'index: it does not have the offer.'
    : `index: it has version ${explained.version}.`;
const inResults = ({ explained }: OfferOnItsWay): string => {
  const { found, rank, total, exclusions } = explained;
  if (found) return `results: place ${rank ?? '?'} of ${total}.`;
  return `results: not among the ${total}: ${exclusions.map(({ reason }) => reason).join('; ')}.`;
};

const scored = ({ relevance, boosts, score }: ToldOfferExplanation): string => {
  const factors = boosts.map(({ field, factor }) => `${field} × ${factor.toFixed(2)}`);
  return `its score is ${(score ?? 0).toFixed(3)} (relevance ${(relevance ?? 0).toFixed(3)}${factors.length > 0 ? `, ${factors.join(', ')}` : ''})`;
};

/** The first thing that keeps the offer from the buyer, or its place in the results. */
const verdictOf = (offer: OfferOnItsWay): string => {
  const { offerId, history, blocked, located, explained } = offer;
  const row = serving(offer);
  if (!history) return `There is no offer ${offerId}.`;
  if (history.status !== 'active')
    return `It is not shown: ${history.why[0] ?? `its status is ${history.status ?? 'unknown'}.`}`;
  if (explained.found)
    return explained.rank === undefined
      ? 'It is in the results, but the index ran out of time before its place was known.'
      : `It is on page ${explained.page ?? 1}, place ${explained.rank} of ${explained.total}, because ${scored(explained)}.`;
  const refusal = located.refusals.find(({ epoch }) => epoch === row?.epoch) ?? located.refusals[0];
  if (explained.version === undefined) {
    const [trouble] = blocked;
    if (trouble !== undefined) return `It is not in the index: ${trouble}`;
    if (refusal) return `The receiver refused it (${refusal.verdict}): ${refusal.reason}`;
    if (row && row.failure !== '') return `It could not be converted: ${row.failure}`;
    if (!row || row.state === 'none')
      return 'It has not come to the index: the search scheduler has not sent it. `doska search reindex` sends it again.';
    if (row.state === 'tombstone')
      return 'It is active, but the index has it deleted. `doska search audit --repair` sends it again.';
    return row.waiting > 0
      ? `It is on its way: ${row.waiting} elements wait in its queue.`
      : 'It was sent to the index, but the searcher does not have it yet.';
  }
  const [first] = explained.exclusions;
  return first ? `It is not in these results: ${first.reason}.` : 'It is not in these results.';
};

/** One answer from the offer store to the results. */
export const searchVerdictOf = (offer: OfferOnItsWay): SearchVerdict => ({
  verdict: verdictOf(offer),
  steps: [
    inStore(offer),
    ...offer.blocked.map((trouble) => `scheduler: ${trouble}`),
    ...offer.located.refusals.map(
      ({ epoch, version, verdict, reason }) =>
        `receiver: refused version ${version} in epoch ${epoch} (${verdict}): ${reason}`,
    ),
    inRegistry(offer),
    inIndex(offer),
    ...(offer.explained.corrected === undefined ? [] : [`text: corrected to ${offer.explained.corrected}.`]),
    inResults(offer),
  ],
});
