import { ok, okAsync, ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { CatalogContent } from '../domain/catalog.ts';
import { diffCatalogs, type CatalogChange } from '../domain/diff.ts';
import type { CatalogStore, UnknownVersion } from '../ports/catalog-store.port.ts';

export type CatalogChangesSince = { readonly version: number; readonly changes: readonly CatalogChange[] };
/** What changed from one version to another, by default to the newest. 0 stands for the empty catalogue before the first. */
export type CatalogChangesQuery = (query: {
  readonly since: number;
  readonly until?: number;
}) => ResultAsync<CatalogChangesSince, UnknownVersion | Unavailable>;

type Needs = { readonly store: CatalogStore };

export const makeCatalogChanges = ({ store }: Needs): CatalogChangesQuery => {
  const load = (version: number): ResultAsync<CatalogContent, UnknownVersion | Unavailable> =>
    version === 0 ? okAsync({ categories: [], attributes: [] }) : store.load(version);
  return ({ since, until }) =>
    (until === undefined ? store.current().map((current) => current?.version ?? 0) : okAsync(until)).andThen(
      (version) =>
        ResultAsync.combine([load(since), load(version)]).andThen(([before, after]) =>
          ok({ version, changes: diffCatalogs(before, after) }),
        ),
    );
};
