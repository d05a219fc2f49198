import { err, errAsync, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import type { CatalogNotLoaded } from '../../catalog/index.ts';
import type { Unavailable } from '../../kernel/index.ts';
import type { Conflict } from '../commit/commit-unit.ts';
import type { FeedKey, FeedProgress, FeedRow } from './feed.ts';
import { decideAbsence } from './decide-absence.ts';
import { decideEntries } from './decide-entries.ts';
import type { FeedAnswer, FeedBatch, FeedMessage, FeedTerminal } from './feed-message.ts';
import { feedEntryViolations } from './feed-message-rules.ts';
import { isMassDeletion, noProgress, placeBatch, placeTerminal } from './message-order.ts';
import type { Offer } from '../offer/offer.ts';
import type { OfferChange } from '../offer/offer-change.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { FeedStore } from './feed-store.port.ts';
import type { FlowCodecs } from '../flow-codecs.port.ts';
import { decideAndCommit } from '../commit/decide-and-commit.use-case.ts';
import { ROWS_MAX } from '../commit/offer-store.port.ts';
import type { ProcessOffers } from '../commit/process-offers.store.ts';
import { slicesOf } from './absence-slices.ts';
import { withAnswer } from './feed-answers.store.ts';
import { contextOf, nowUsOf, type DecidingNeeds } from '../settings.ts';

export type ApplyFeedMessageNeeds = DecidingNeeds & {
  readonly offers: Pick<ProcessOffers, 'load' | 'commit'>;
  readonly feeds: FeedStore;
  readonly newOfferId: () => OfferId;
  readonly codecs: Pick<FlowCodecs, 'feedResults'>;
};
/** `again`: one slice of a terminal message is done; call again for the next one. */
export type FeedStep = 'done' | 'again';
export type ApplyFeedMessageError = CatalogNotLoaded | Unavailable;
export type ApplyFeedMessage = (message: FeedMessage) => ResultAsync<FeedStep, ApplyFeedMessageError>;
type Attempt = ResultAsync<FeedStep, ApplyFeedMessageError | Conflict>;
type Move = {
  readonly changes?: readonly OfferChange[];
  readonly rows?: readonly FeedRow[];
  readonly dropped?: readonly string[];
};

/**
 * Applies a message of a feed. Every commit moves the feed's progress, and the last one holds the answer. A redelivered
 * message finds its progress made and answers nothing. The number of statements does not depend on the size of the batch.
 */
export const makeApplyFeedMessage = (needs: ApplyFeedMessageNeeds): ApplyFeedMessage => {
  const { offers, feeds, clock, settings, codecs, newOfferId } = needs;

  const commit = (
    { seller, namespace }: FeedKey,
    version: number,
    progress: FeedProgress,
    { changes = [], rows = [], dropped = [] }: Move,
    answer?: FeedAnswer,
  ): ResultAsync<void, Conflict | Unavailable> => {
    const told = answer
      ? withAnswer(progress, answer, { nowUs: nowUsOf(clock), shards: settings.shards, codecs })
      : { progress, outbox: [] };
    const feed = { seller, namespace, expectedVersion: version, progress: told.progress, rows, dropped };
    return offers.commit({ changes, feed, outbox: told.outbox });
  };
  const sentBy = ({ seller, namespace, task, generation }: FeedMessage) => ({
    seller,
    namespace,
    task,
    generation,
  });
  const loaded = (rows: readonly FeedRow[]): ResultAsync<ReadonlyMap<OfferId, Offer>, Unavailable> => {
    const ids = [...new Set(rows.flatMap(({ offerId }) => offerId ?? []))];
    return (ids.length === 0 ? okAsync([]) : offers.load(ids)).map(
      (found) => new Map(found.map((offer) => [offer.id, offer])),
    );
  };

  const applyBatch = (batch: FeedBatch, version: number, progress: FeedProgress): Attempt => {
    const catalog = needs.catalog();
    if (catalog.isErr()) return errAsync(catalog.error);
    const context = {
      ...contextOf(catalog.value, needs),
      feed: batch,
      task: batch.task,
      newOfferId,
      bannedKeptUs: settings.bannedRowUs,
    };
    const ids = [
      ...new Set(
        batch.entries.flatMap((entry) => (feedEntryViolations(entry).length === 0 ? entry.externalId : [])),
      ),
    ];
    return feeds
      .rows(batch, ids)
      .andThen((rows) => loaded(rows).map((byId) => ({ rows, offers: byId })))
      .andThen(({ rows, offers: byId }) => {
        const known = { rows: new Map(rows.map((row) => [row.externalId, row])), offers: byId };
        const decided = decideEntries(batch, known, context);
        const entries = decided.map(({ answer }) => answer);
        const next = {
          ...progress,
          nextBatch: batch.batch + 1,
          offersSeen: progress.offersSeen + batch.entries.length,
        };
        const move = {
          changes: decided.flatMap(({ change }) => change ?? []),
          rows: [
            ...new Map(decided.flatMap(({ row }) => (row ? [[row.externalId, row] as const] : []))).values(),
          ],
        };
        const answer = {
          ...sentBy(batch),
          kind: 'batch',
          batch: batch.batch,
          outcome: 'applied',
          entries,
        } as const;
        return commit(batch, version, next, move, answer);
      })
      .map((): FeedStep => 'done');
  };
  const handleBatch = (batch: FeedBatch): Attempt =>
    feeds.progress(batch).andThen(({ version, progress = noProgress }): Attempt => {
      const place = placeBatch(progress, batch);
      if (place.kind === 'duplicate') return okAsync('done');
      if (place.kind === 'apply') return applyBatch(batch, version, place.progress);
      const outcome = place.kind === 'gap' ? 'incomplete' : 'skipped';
      const answer = { ...sentBy(batch), kind: 'batch', batch: batch.batch, outcome, entries: [] } as const;
      return commit(batch, version, place.progress, {}, answer).map((): FeedStep => 'done');
    });

  /** Removes, or turns manual, one slice of the rows that the load did not have, in commits of bounded bytes. */
  const removeSlice = (
    terminal: FeedTerminal,
    version: number,
    progress: FeedProgress,
    rows: readonly FeedRow[],
  ): Attempt => {
    const catalog = needs.catalog();
    if (catalog.isErr()) return errAsync(catalog.error);
    const context = contextOf(catalog.value, needs);
    const slice = async (
      byId: ReadonlyMap<OfferId, Offer>,
    ): Promise<Result<FeedStep, Conflict | Unavailable>> => {
      const decided = rows.map((row) =>
        decideAbsence(row, row.offerId === undefined ? undefined : byId.get(row.offerId), terminal, context),
      );
      let state = progress;
      let at = version;
      for (const group of slicesOf(decided)) {
        const became = (what: 'removed' | 'manual'): number =>
          group.filter((one) => one.became === what).length;
        const { removed = 0, manual = 0 } = state.terminal ?? {};
        state = {
          ...state,
          terminal: {
            state: 'running',
            removed: removed + became('removed'),
            manual: manual + became('manual'),
          },
        };
        const outcome = await commit(terminal, at++, state, {
          changes: group.flatMap(({ change }) => change ?? []),
          rows: group.flatMap(({ kept }) => kept ?? []),
          dropped: group.flatMap(({ externalId, kept }) => (kept ? [] : [externalId])),
        });
        if (outcome.isErr()) return err(outcome.error);
      }
      return ok('again');
    };
    return loaded(rows).andThen((byId) => new ResultAsync(slice(byId)));
  };
  const carryOut = (terminal: FeedTerminal, version: number, progress: FeedProgress): Attempt => {
    const { removed = 0, manual = 0, state = undefined } = progress.terminal ?? {};
    const finished = (
      outcome: 'done' | 'held',
      { known, unseen }: { readonly known: number; readonly unseen: number },
    ): Attempt => {
      const answer = {
        ...sentBy(terminal),
        kind: 'terminal',
        outcome,
        removed,
        manual,
        known,
        unseen,
      } as const;
      const next = { ...progress, terminal: { state: outcome, removed, manual } };
      return commit(terminal, version, next, {}, answer).map((): FeedStep => 'done');
    };
    const work = (): Attempt =>
      feeds
        .unseenSince(terminal, terminal.task, ROWS_MAX)
        .andThen((rows): Attempt =>
          rows.length > 0
            ? removeSlice(terminal, version, progress, rows)
            : feeds
                .count(terminal, terminal.task)
                .andThen((count) => finished('done', { known: count.rows, unseen: removed + manual })),
        );
    // Once the removal runs, the guard is not asked again: removed rows would change the share.
    if (state === 'running' || terminal.force || terminal.reason === 'feed_removed') return work();
    return feeds.count(terminal, terminal.task).andThen((count): Attempt => {
      const counts = { known: count.rows, unseen: count.unseen };
      return isMassDeletion(counts, settings.feedGuard) ? finished('held', counts) : work();
    });
  };
  const handleTerminal = (terminal: FeedTerminal): Attempt =>
    feeds.progress(terminal).andThen(({ version, progress = noProgress }): Attempt => {
      const place = placeTerminal(progress, terminal);
      if (place.kind === 'over') return okAsync('done');
      if (place.kind === 'carry-out') return carryOut(terminal, version, place.progress);
      const nothing = { removed: 0, manual: 0, known: 0, unseen: 0 };
      const answer = { ...sentBy(terminal), kind: 'terminal', outcome: place.kind, ...nothing } as const;
      return commit(terminal, version, place.progress, {}, answer).map((): FeedStep => 'done');
    });

  return (message) =>
    decideAndCommit<FeedStep, ApplyFeedMessageError>('this feed', needs, () =>
      message.kind === 'batch' ? handleBatch(message) : handleTerminal(message),
    );
};
