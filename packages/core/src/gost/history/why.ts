import type { OfferCommand } from '../offer/command.ts';
import type { HistoryDetails, HistoryEntry } from './history.ts';
import { offerStatus, type Money, type Offer } from '../offer/offer.ts';

/** To the second: support reads it over the phone. */
const moment = (us: number): string =>
  `${new Date(us / 1_000).toISOString().slice(0, 19).replace('T', ' ')} UTC`;
/** Not every currency has a hundred cents. */
const digitsOf = (currency: string): number =>
  /^[A-Z]{3}$/.test(currency)
    ? (new Intl.NumberFormat('en', { style: 'currency', currency }).resolvedOptions().maximumFractionDigits ??
      2)
    : 2;
const amount = ({ minorUnits, currency }: Money): string => {
  const digits = digitsOf(currency);
  return `${(minorUnits / 10 ** digits).toFixed(digits)} ${currency}`;
};
const listed = (words: readonly string[]): string => words.join(', ');
const feedName = ({ namespace, task }: NonNullable<HistoryDetails['feed']>): string =>
  `feed “${namespace}” (load ${task})`;

const actors: Record<OfferCommand['by'], string> = {
  seller: 'the seller',
  feed: 'a feed',
  moderation: 'moderation',
  photos: 'the photo service',
  time: 'time',
  operator: 'an operator',
};
const actorOf = ({ by, details }: HistoryEntry): string =>
  by === 'feed' && details?.feed ? feedName(details.feed) : actors[by];
const opinionOf = ({ details }: HistoryEntry): string => {
  if (!details?.opinion) return '';
  const { version, reasons } = details.opinion;
  return ` (opinion ${version}${reasons.length > 0 ? `: ${listed(reasons)}` : ''})`;
};
const fieldsOf = ({ details }: HistoryEntry): string =>
  details && details.fields.length > 0 ? ` (${listed(details.fields)})` : '';
const photosOf = ({ details }: HistoryEntry): string => {
  if (!details?.photos) return '';
  const { named, ready, failed } = details.photos;
  return ` (${ready} of ${named} ready, ${failed} failed)`;
};

/** What each command did, as a sentence without its moment. */
const deeds: Record<OfferCommand['kind'], (entry: HistoryEntry) => string> = {
  publish: (entry) => `${actorOf(entry)} published it`,
  edit: (entry) => `${actorOf(entry)} edited it${fieldsOf(entry)}`,
  feedUpdate: (entry) => `${actorOf(entry)} loaded it again${fieldsOf(entry)}`,
  activate: (entry) => `${actorOf(entry)} put it up again`,
  hide: (entry) => `${actorOf(entry)} hid it`,
  prolong: (entry) => `${actorOf(entry)} gave it a new term`,
  sell: (entry) => {
    const price = entry.sale?.earned ? ` for ${amount(entry.sale.earned)}` : '';
    return `${actorOf(entry)} marked it as sold${entry.sale ? ` on the platform${price}` : ''}`;
  },
  expire: () => 'its term ended',
  remove: (entry) =>
    entry.by === 'feed' ? `${actorOf(entry)} did not have it any more` : `${actorOf(entry)} removed it`,
  manual: (entry) => `${actorOf(entry)} let go of it, and it became the seller’s own`,
  ban: (entry) => `moderation banned it${opinionOf(entry)}`,
  unban: (entry) =>
    entry.from === 'banned'
      ? `moderation lifted the ban${opinionOf(entry)}`
      : `moderation has nothing against it${opinionOf(entry)}`,
  erase: (entry) => `${actorOf(entry)} erased what it said`,
  photos: (entry) => `${actorOf(entry)} answered about its pictures${photosOf(entry)}`,
};
const capital = (text: string): string => `${text.slice(0, 1).toUpperCase()}${text.slice(1)}`;

/** One change, in words. */
export const sentenceOf = (entry: HistoryEntry): string => {
  const { command, from, to, atUs, details } = entry;
  const becomes = from === to ? '' : `; it became ${to}`;
  const until = details?.expiresAtUs === undefined ? '' : `; it runs out on ${moment(details.expiresAtUs)}`;
  return `${capital(deeds[command](entry))} on ${moment(atUs)}${becomes}${until}.`;
};

/** A ban that is renewed and a removed offer that hears an opinion are told by what made the state, not by the last word. */
const causeOf = (offer: Offer, history: readonly HistoryEntry[]): HistoryEntry | undefined => {
  const status = offerStatus(offer);
  if (status === 'banned') return history.find(({ command }) => command === 'ban');
  return history.find(({ from, to }) => to === status && from !== to);
};
const CONTENT: ReadonlySet<OfferCommand['kind']> = new Set(['edit', 'feedUpdate']);

const termOf = ({ lifecycle, source, expiresAtUs }: Offer): string => {
  if (lifecycle !== 'active') return '';
  if (expiresAtUs !== undefined) return `It runs out on ${moment(expiresAtUs)}.`;
  return source ? `It does not run out while feed “${source.namespace}” has it.` : 'It does not run out.';
};
const banOf = ({ ban, lifecycle }: Offer): readonly string[] => {
  if (!ban || lifecycle === 'removed') return [];
  const help = ban.editable ? 'An edit may help.' : 'No edit can help; only moderation lifts the ban.';
  return [help, `Without the ban it would be ${lifecycle}.`];
};
const picturesOf = ({ content: { photos }, images, lifecycle }: Offer): string => {
  if (photos.length === 0 || lifecycle === 'removed') return '';
  const failed = images.flatMap(({ outcome }) => (outcome.kind === 'failed' ? [outcome.reason] : []));
  const ready = images.length - failed.length;
  const trouble = failed.length > 0 ? `, ${failed.length} failed (${listed([...new Set(failed)])})` : '';
  return `Pictures: ${photos.length} named, ${ready} ready${trouble}.`;
};

/**
 * Why the offer is in the state it is in, as sentences that a support person can read out; the first is the answer.
 * `history` is newest first and may be cut off: then it is said that the cause is older.
 */
export const whyOf = (
  offer: Offer,
  history: readonly HistoryEntry[],
  archivedAtUs?: number,
): readonly string[] => {
  const status = offerStatus(offer);
  const cause = causeOf(offer, history);
  const oldest = history.at(-1);
  const because = cause
    ? `${deeds[cause.command](cause)} on ${moment(cause.atUs)}`
    : `since before ${moment(oldest?.atUs ?? offer.updatedAtUs)}, by a change that is not shown`;
  const erased = history.find(({ command }) => command === 'erase');
  const rewritten = history.find((entry) => entry !== cause && CONTENT.has(entry.command));
  return [
    `It is ${status}: ${because}.`,
    ...(archivedAtUs === undefined
      ? []
      : [`It is in the archive since ${moment(archivedAtUs)}: it can be read, but not changed.`]),
    ...(erased && erased !== cause ? [sentenceOf(erased)] : []),
    ...banOf(offer),
    ...(status === 'removed' ? [] : [termOf(offer), picturesOf(offer)]),
    ...(rewritten && status !== 'removed' ? [`The last word on what it says: ${sentenceOf(rewritten)}`] : []),
  ].filter((sentence) => sentence !== '');
};
