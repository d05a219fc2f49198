import { err, ok, type Result } from 'neverthrow';
import { parseOfferId } from '../../gost/index.ts';
import type { Clock, Ids, PageTokens } from '../../kernel/index.ts';

/** An answer as its query id names it. */
export type AnsweredQuery = {
  readonly id: string;
  readonly shownAtMs: number;
  readonly offers: ReadonlySet<string>;
};
export type QueryIds = {
  /** A signed id of an answer that shows these offers. Empty if it shows none. */
  readonly seal: (pks: readonly string[]) => string;
  /** The error says what is wrong with the id. */
  readonly open: (queryId: string) => Result<AnsweredQuery, string>;
};

/** No fingerprint of a query has a hyphen, so a page token is no query id. */
const PURPOSE = 'search-events';

/** The id holds the offers that were shown: events of others can't be made up, and no state is kept. */
export const makeQueryIds = (needs: {
  readonly tokens: PageTokens;
  readonly ids: Ids;
  readonly clock: Clock;
  readonly answerMs: number;
}): QueryIds => {
  const { tokens, ids, clock, answerMs } = needs;
  return {
    seal: (pks) => {
      const offers = pks.filter((pk) => parseOfferId(pk).isOk());
      return offers.length === 0 ? '' : tokens.encode(PURPOSE, [ids.next(), clock.nowMs(), ...offers]);
    },
    open: (queryId) => {
      const key = tokens.decode(PURPOSE, queryId);
      const [id, shownAtMs, ...offers] = key.unwrapOr([]);
      if (typeof id !== 'string' || typeof shownAtMs !== 'number')
        return err('use the query_id of an answer');
      if (clock.nowMs() - shownAtMs > answerMs)
        return err(
          `the answer is older than ${Math.round(answerMs / 3_600_000)} hours: its events are not taken`,
        );
      return ok({ id, shownAtMs, offers: new Set(offers.map(String)) });
    },
  };
};
