import { offerStatus, type FeedMessage, type Offer } from '../../gost/index.ts';
import type { BlobServer, MemoryDatabase } from '../../kernel/testing.ts';
import { FEED_FILES } from '../use-cases/keep-file.ts';
import { loadsIn, sameFeed } from './feeds-laws.ts';
import type { SimulatedSeller } from './simulated-sellers.ts';

const isOf = (message: FeedMessage, { seller, source }: Offer): boolean =>
  source !== undefined && sameFeed(message, { seller, namespace: source.namespace });
const idsIn = (text: string): ReadonlySet<string> =>
  new Set(
    text
      .split('\n')
      .map((line) => line.split(' ')[0]!)
      .filter((id) => id !== '-'),
  );

/** [P4] [P9] A message touches offers of its feed only, and only a complete load removes what its file does not have. */
export const makeOffersLaw =
  ({ db, server }: { readonly db: MemoryDatabase; readonly server: BlobServer }) =>
  (message: FeedMessage, before: readonly Offer[], after: readonly Offer[]): string | undefined => {
    const now = new Map(after.map((offer) => [offer.id, offer]));
    const changed = before.filter((offer) => now.get(offer.id)?.version !== offer.version);
    const stranger = changed.find((offer) => !isOf(message, offer));
    if (stranger) return `namespaces: a message of ${message.namespace} changed offer ${stranger.id}`;
    const removed = changed.filter((offer) => {
      const next = now.get(offer.id);
      return offerStatus(offer) === 'active' && (next === undefined || offerStatus(next) !== 'active');
    });
    if (removed.length === 0) return undefined;
    if (message.kind === 'batch') return `removal: batch ${message.batch} removed offers`;
    if (message.reason === 'feed_removed') return undefined;
    const load = loadsIn(db).find((row) => sameFeed(row, message) && row.load.task.id === message.task)?.load;
    const content = load?.file && server.areas.get(FEED_FILES)?.get(load.file.hash);
    // The load may be cleaned already when its terminal message is delivered late.
    if (!content) return undefined;
    const ids = idsIn(new TextDecoder().decode(content));
    if (ids.has('!')) return `removal: load ${message.task} is broken and removed offers`;
    const wrong = removed.find(({ source }) => ids.has(source!.externalId));
    return wrong && `removal: load ${message.task} removed ${wrong.source!.externalId}, which it has`;
  };

/** In the end the offers of a feed are those of its last file, or none after a removal. */
export const offersAreThere = ({ key, plan }: SimulatedSeller, offers: readonly Offer[]): boolean => {
  const last = plan.at(-1)!;
  const wanted = last.kind === 'upload' ? [...idsIn(last.text)].sort() : [];
  const there = offers
    .filter((offer) => isOf({ ...key } as FeedMessage, offer) && offerStatus(offer) === 'active')
    .map(({ source }) => source!.externalId)
    .sort();
  return there.join() === wanted.join();
};
