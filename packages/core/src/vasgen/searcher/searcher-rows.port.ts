import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { SearcherReport, StoredReport } from './searcher-report.ts';

/** The most searchers of a client that are listed. */
export const SEARCHERS_MAX = 1_000;

/** The searchers of each client, as they report themselves. Ages are by the database's clock, never by a searcher's. */
export interface SearcherRows {
  /** Stores the report in place of the searcher's last one. */
  report(client: ClientName, report: SearcherReport): ResultAsync<void, Unavailable>;
  /** Reports that are younger than `youngerThanMs`, by the names of their searchers, at most 1000. */
  live(client: ClientName, youngerThanMs: number): ResultAsync<readonly StoredReport[], Unavailable>;
  /** The searcher stops. Unknown ones are no error. */
  remove(client: ClientName, searcher: string): ResultAsync<void, Unavailable>;
  /** Deletes reports that are at least `olderThanMs` old, at most `limit`. Returns how many. */
  purge(client: ClientName, olderThanMs: number, limit: number): ResultAsync<number, Unavailable>;
}
