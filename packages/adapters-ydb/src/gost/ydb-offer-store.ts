import { Result, type ResultAsync } from 'neverthrow';
import { type GostCodecs, type Offer, type OfferId } from '@doska/core/gost';
import { commitInWaves, ROWS_MAX, type CommitUnit, type OfferStore } from '@doska/core/gost/storage';
import { makeBatcher, type Clock, type Unavailable } from '@doska/core/kernel';
import type { YdbClient } from '../driver/client.ts';
import { query, rows } from '../driver/query.ts';
import type { YdbTx } from '../driver/transaction.ts';
import { history } from '../schema/gost-tables.ts';
import { WRITE_DRAFTS, WRITE_FEEDS, WRITE_OFFERS } from './commit-queries.ts';
import { readState, stands, type CommitState } from './commit-state.ts';
import { draftWrites } from './draft-writes.ts';
import { feedWrites } from './feed-writes.ts';
import { inOrder, offersOfParts, readParts, unreadable } from './offer-parts.ts';
import { offerWrites } from './offer-writes.ts';

export type YdbGostOptions = {
  readonly client: YdbClient;
  readonly codecs: GostCodecs;
  readonly clock: Clock;
  /** How long a read waits for other reads to share its statement. */
  readonly readLingerMs?: number;
  /** Large sets are counted in slices of so many rows: a statement has a time limit. */
  readonly sliceRows?: number;
};
export const HISTORY = query({
  name: 'gost/history',
  parameters: { id: 'Utf8', before: 'Uint64', limit: 'Uint64' },
  results: [{ body: 'String' }],
  text: `SELECT body FROM gost_offer_history WHERE offer_id = $id AND version < $before
ORDER BY offer_id DESC, version DESC LIMIT $limit;`,
});
/* Updates existing rows; creates none. */
export const REWRITE_HISTORY = query({
  name: 'gost/rewrite-history',
  parameters: { entries: rows(history.columns) },
  results: [],
  text: 'UPDATE gost_offer_history ON SELECT offer_id, version, body FROM AS_TABLE($entries);',
});

/** Writes all units, and commits with the last statement. */
const writeUnits = async (
  tx: YdbTx,
  units: readonly CommitUnit[],
  state: CommitState,
  codecs: GostCodecs,
): Promise<void> => {
  const drafts = units.flatMap((unit) => unit.drafts ?? []);
  const feeds = units.flatMap(({ feed }) => feed ?? []);
  if (drafts.length > 0) await tx.run(WRITE_DRAFTS, draftWrites(drafts, state, codecs));
  if (feeds.length > 0) await tx.run(WRITE_FEEDS, feedWrites(feeds, state, codecs));
  await tx.commit(WRITE_OFFERS, offerWrites(units, state, codecs));
};

/** Commits wave after wave, each in one transaction. Reads of all callers share statements. */
export const ydbOfferStore = ({ client, codecs, clock, readLingerMs = 0 }: YdbGostOptions): OfferStore => {
  const reads = makeBatcher<readonly OfferId[], readonly Offer[], Unavailable>({
    name: 'gost.load',
    clock,
    countMax: ROWS_MAX,
    lingerMs: readLingerMs,
    waitingMax: 100_000,
    flushesMax: 4,
    bytesMax: ROWS_MAX,
    bytesOf: (ids) => ids.length,
    flush: (calls) =>
      client
        .read('gost.load', (tx) => readParts(tx, calls.flat()))
        .map((rows) => offersOfParts(rows, codecs))
        .map((found) => calls.map((ids) => inOrder(ids, found))),
  });
  /** The numbers of the units that were refused. */
  const commitWave = (units: readonly CommitUnit[]): ResultAsync<ReadonlySet<number>, Unavailable> =>
    client.write('gost.commit', async (tx) => {
      const state = await readState(tx, units);
      const survivors = units.filter((unit) => stands(unit, state));
      if (survivors.length > 0) await writeUnits(tx, survivors, state, codecs);
      return new Set(units.flatMap((unit, i) => (survivors.includes(unit) ? [] : [i])));
    });
  return {
    load: (ids) => reads.add(ids.slice(0, ROWS_MAX)),
    commit: (units) => commitInWaves(units, commitWave),
    history: (id, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      client
        .read('gost.history', async (tx) => {
          const [found] = await tx.commit(HISTORY, { id, before, limit: Math.min(limit, ROWS_MAX) });
          return found.map(({ body }) => codecs.history.decode(body));
        })
        .andThen((entries) => Result.combine(entries).mapErr(unreadable)),
    rewriteHistory: (entries) =>
      client.write('gost.rewriteHistory', async (tx) => {
        const written = entries.map((entry) => ({
          offer_id: entry.offerId,
          version: entry.version,
          body: codecs.history.encode(entry),
        }));
        if (written.length > 0) await tx.commit(REWRITE_HISTORY, { entries: written });
      }),
  };
};
