import type { ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { GluedSnippet, MultiGetQuery } from '../../snippets/index.ts';

/** The snippet service as search asks it. */
export interface SnippetSource {
  /** The snippets of several keys in several sections; absent ones are left out. At most 500 pairs of section and key. */
  find(query: MultiGetQuery): ResultAsync<readonly GluedSnippet[], Unavailable>;
}
