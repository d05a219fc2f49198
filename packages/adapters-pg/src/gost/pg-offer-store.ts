import { err, ok, Result, type Result as Outcome, type ResultAsync } from 'neverthrow';
import type pg from 'pg';
import { type GostCodecs, type Offer, type OfferId } from '@doska/core/gost';
import {
  commitInWaves,
  ROWS_MAX,
  type CommitUnit,
  type KnownOffers,
  type OfferStore,
} from '@doska/core/gost/storage';
import { makeBatcher, type Clock, type Unavailable } from '@doska/core/kernel';
import { guard } from '../driver/guard.ts';
import { commitRows } from './commit-rows.ts';
import { lookUp, unreadable, type LookUp, type NewsRow } from './offer-rows.ts';
import { COMMIT, NEWS } from './sql-functions.ts';

export type PgGostOptions = {
  readonly pool: pg.Pool;
  readonly codecs: GostCodecs;
  readonly clock: Clock;
  /** How long a read waits for other reads to share its statement. */
  readonly readLingerMs?: number;
};
const COMMIT_CALL = `select ${COMMIT.call} as refused`;
const NEWS_CALL = `select id, kind, body from ${NEWS.call}`;
const HISTORY = `select body from gost.offer_history where offer_id = $1 and version < $2 order by version desc limit $3`;

const REWRITE_HISTORY = `update gost.offer_history h set body = n.body
  from unnest($1::text[], $2::bigint[], $3::bytea[]) n(offer_id, version, body)
  where h.offer_id = n.offer_id and h.version = n.version`;

type Asked = { readonly ids: readonly OfferId[]; readonly known: KnownOffers | undefined };
/** Every id once, with the newest offer that a caller knows. */
const knownOf = (calls: readonly Asked[]): ReadonlyMap<OfferId, Offer | undefined> => {
  const all = new Map<OfferId, Offer | undefined>();
  for (const { ids, known } of calls)
    for (const id of ids) {
      const offer = known?.(id);
      const other = all.get(id);
      all.set(id, offer && !(other && other.version > offer.version) ? offer : other);
    }
  return all;
};
/** The answer to one caller: each offer once. */
const answerTo = ({ ids }: Asked, found: LookUp): Outcome<readonly Offer[], Unavailable> => {
  const offers: Offer[] = [];
  for (const id of ids.length === 1 ? ids : new Set(ids)) {
    const offer = found(id);
    if (!offer) continue;
    if (offer.isErr()) return err(offer.error);
    offers.push(offer.value);
  }
  return ok(offers);
};

/** Commits wave after wave, each in one round trip. Reads of all callers share statements. */
export const pgOfferStore = ({ pool, codecs, clock, readLingerMs = 0 }: PgGostOptions): OfferStore => {
  const readAll = async (calls: readonly Asked[]): Promise<LookUp> => {
    const known = knownOf(calls);
    const asked = Array.from(known, ([id, offer]) => ({ id, version: offer?.version ?? 0 }));
    const { rows } = await pool.query<NewsRow>({
      name: 'gost_news',
      text: NEWS_CALL,
      values: NEWS.argumentsOf({}, { asked }),
    });
    return lookUp(rows, known, codecs);
  };
  const reads = makeBatcher<Asked, readonly Offer[], Unavailable>({
    name: 'gost.load',
    clock,
    countMax: ROWS_MAX,
    lingerMs: readLingerMs,
    waitingMax: 100_000,
    flushesMax: 4,
    busy: { fromCount: 16, forMs: 5, countMin: 48, waitMs: 1 },
    bytesMax: ROWS_MAX,
    bytesOf: ({ ids }) => ids.length,
    flush: (calls) =>
      guard('gost.load', () => readAll(calls)).map((found) => calls.map((call) => answerTo(call, found))),
  });
  const commitWave = (units: readonly CommitUnit[]): ResultAsync<ReadonlySet<number>, Unavailable> =>
    guard('gost.commit', async () => {
      const { rows } = await pool.query<{ refused: number[] }>({
        name: 'gost_commit',
        text: COMMIT_CALL,
        values: COMMIT.argumentsOf({}, commitRows(units, codecs)),
      });
      return new Set(rows[0]?.refused);
    });
  return {
    load: (ids, known) => reads.add({ ids: ids.slice(0, ROWS_MAX), known }),
    commit: (units) => commitInWaves(units, commitWave),
    history: (id, { before = Number.MAX_SAFE_INTEGER, limit }) =>
      guard('gost.history', async () => {
        const { rows } = await pool.query<{ body: Buffer }>(HISTORY, [id, before, Math.min(limit, ROWS_MAX)]);
        return rows.map(({ body }) => codecs.history.decode(body));
      }).andThen((entries) => Result.combine(entries).mapErr(unreadable)),
    rewriteHistory: (entries) =>
      guard('gost.rewriteHistory', async () => {
        await pool.query(REWRITE_HISTORY, [
          entries.map(({ offerId }) => offerId),
          entries.map(({ version }) => version),
          entries.map((entry) => codecs.history.encode(entry)),
        ]);
      }),
  };
};
