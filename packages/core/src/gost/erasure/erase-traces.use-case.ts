import { err, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import type { GenericStorage, Unavailable } from '../../kernel/index.ts';
import type { Conflict } from '../commit/commit-unit.ts';
import { scrubbed } from './erasure.ts';
import type { FeedKey } from '../autoload/feed.ts';
import type { HistoryEntry } from '../history/history.ts';
import type { Offer, SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { DraftStore } from '../drafts/draft-store.port.ts';
import type { FeedStore } from '../autoload/feed-store.port.ts';
import { decideAndCommit } from '../commit/decide-and-commit.use-case.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import type { ProcessOffers } from '../commit/process-offers.store.ts';
import type { DecidingNeeds } from '../settings.ts';
import { STAGES_SPACE } from '../stages/stages.use-case.ts';

export type EraseTracesNeeds = Pick<DecidingNeeds, 'clock' | 'random' | 'settings'> & {
  readonly offers: Pick<ProcessOffers, 'commit' | 'history' | 'rewriteHistory'>;
  readonly drafts: DraftStore;
  readonly feeds: FeedStore;
  readonly storage: GenericStorage;
};
/** What sellers leave beside their offers. Each does nothing where nothing is left. */
export type EraseTraces = {
  /** The seller's draft. */
  readonly draft: (seller: SellerId) => ResultAsync<void, Unavailable>;
  /** Words in the history of an offer; answers in how many entries there were some. */
  readonly history: (offerId: OfferId) => ResultAsync<number, Unavailable>;
  /** What stages keep of an offer. */
  readonly stages: (offerId: OfferId) => ResultAsync<void, Unavailable>;
  /** What is known of the feeds that these offers of one seller came from, while they still tell from which. */
  readonly feedRows: (offers: readonly Offer[]) => ResultAsync<void, Unavailable>;
};

export const makeEraseTraces = (needs: EraseTracesNeeds): EraseTraces => {
  const { offers, drafts, feeds, storage } = needs;

  const history = async (offerId: OfferId): Promise<Result<number, Unavailable>> => {
    let count = 0;
    let last = undefined;
    for (;;) {
      const before: { before?: number } = last ? { before: last.version } : {};
      const page: Result<readonly HistoryEntry[], Unavailable> = await offers.history(offerId, {
        ...before,
        limit: ROWS_MAX,
      });
      if (page.isErr()) return err(page.error);
      const worded = page.value.filter((entry) => scrubbed(entry) !== entry);
      if (worded.length > 0) {
        const rewritten = await offers.rewriteHistory(worded.map(scrubbed));
        if (rewritten.isErr()) return err(rewritten.error);
      }
      count += worded.length;
      last = page.value.at(-1);
      if (!last || page.value.length < ROWS_MAX) return ok(count);
    }
  };

  const stages = async (offerId: OfferId): Promise<Result<void, Unavailable>> => {
    const prefix = `${offerId}/`;
    for (;;) {
      const page = await storage.list(STAGES_SPACE, { after: prefix, limit: ROWS_MAX });
      if (page.isErr()) return err(page.error);
      const kept = page.value.filter(({ key }) => key.startsWith(prefix));
      if (kept.length === 0) return ok(undefined);
      for (const { key, version } of kept) {
        const removed = await storage.remove(STAGES_SPACE, key, version);
        // A stage has put it again: the next page finds it.
        if (removed.isErr() && removed.error.kind === 'Unavailable') return err(removed.error);
      }
    }
  };

  /** One commit: at most a page of rows, and those of the removed offers among `externalIds`. */
  const dropRows = (
    feed: FeedKey,
    externalIds: readonly string[],
  ): ResultAsync<'more' | 'done', Unavailable | Conflict> =>
    feeds.progress(feed).andThen(({ version, progress }) =>
      !progress
        ? okAsync('done' as const)
        : feeds
            .unseenSince(feed, Number.MAX_SAFE_INTEGER, ROWS_MAX)
            .andThen((live) => feeds.rows(feed, externalIds).map((named) => [...live, ...named]))
            .andThen((rows): ResultAsync<'more' | 'done', Unavailable | Conflict> => {
              if (rows.length === 0) return okAsync('done');
              const dropped = [...new Set(rows.map(({ externalId }) => externalId))];
              const move = { ...feed, expectedVersion: version, progress, rows: [], dropped };
              return offers.commit({ changes: [], feed: move }).map(() => 'more');
            }),
    );
  const feedRows = async (page: readonly Offer[]): Promise<Result<void, Unavailable>> => {
    const named = new Map<string, { readonly feed: FeedKey; readonly externalIds: string[] }>();
    for (const { seller, source } of page) {
      if (!source) continue;
      const { namespace, externalId } = source;
      const one = named.get(namespace) ?? { feed: { seller, namespace }, externalIds: [] };
      one.externalIds.push(externalId);
      named.set(namespace, one);
    }
    for (const { feed, externalIds } of named.values())
      for (;;) {
        const step = await decideAndCommit('this feed', needs, () => dropRows(feed, externalIds));
        if (step.isErr()) return err(step.error);
        if (step.value === 'done') break;
      }
    return ok(undefined);
  };

  return {
    draft: (seller) =>
      decideAndCommit('this draft', needs, () =>
        drafts
          .slots([{ kind: 'user', id: seller }])
          .andThen(([slot]): ResultAsync<void, Conflict | Unavailable> => {
            if (!slot?.draft) return okAsync(undefined);
            const move = { owner: slot.owner, expectedVersion: slot.version, draft: undefined };
            return offers.commit({
              changes: [],
              drafts: { slots: [move], erased: [slot.draft.id] },
            });
          }),
      ),
    history: (offerId) => new ResultAsync(history(offerId)),
    stages: (offerId) => new ResultAsync(stages(offerId)),
    feedRows: (page) => new ResultAsync(feedRows(page)),
  };
};
