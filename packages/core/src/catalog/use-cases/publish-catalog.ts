import { errAsync, okAsync, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { CatalogContent } from '../domain/catalog.ts';
import { checkCatalog, type BrokenCatalog } from '../domain/check.ts';
import { diffCatalogs, type CatalogChange } from '../domain/diff.ts';
import { succeed, type TypeChanges } from '../domain/succession.ts';
import type {
  CatalogStore,
  PublishedVersion,
  UnknownVersion,
  VersionTaken,
} from '../ports/catalog-store.port.ts';

export type PublishCatalog = (command: {
  readonly content: CatalogContent;
  /** The version the publisher has seen; without it, whatever is the newest now. */
  readonly expected?: number;
  readonly allowTypeChanges?: boolean;
  /** Only tell what would happen. */
  readonly dryRun?: boolean;
}) => ResultAsync<Publication, PublishCatalogError>;
/** `published` is undefined when nothing was: a dry run, or nothing has changed. */
export type Publication = {
  readonly published: PublishedVersion | undefined;
  readonly base: number;
  readonly changes: readonly CatalogChange[];
};
export type PublishCatalogError = BrokenCatalog | TypeChanges | VersionTaken | UnknownVersion | Unavailable;

type Needs = { readonly store: CatalogStore };
const nothing: CatalogContent = { categories: [], attributes: [] };

/** Check, succeed the newest version, check what came of it, commit. Publishing what is there already publishes nothing. */
export const makePublishCatalog =
  ({ store }: Needs): PublishCatalog =>
  ({ content, expected, allowTypeChanges = false, dryRun = false }) =>
    store.current().andThen((current): ResultAsync<Publication, PublishCatalogError> => {
      const base = current?.version ?? 0;
      if (expected !== undefined && expected !== base)
        return errAsync({ kind: 'VersionTaken', expected, actual: base });
      const previous: ResultAsync<CatalogContent | undefined, UnknownVersion | Unavailable> =
        base === 0 ? okAsync(undefined) : store.load(base);
      return previous.andThen((before) =>
        checkCatalog(content)
          .andThen(() => succeed(before, content, { allowTypeChanges }))
          .andThen(checkCatalog)
          .asyncAndThen((next): ResultAsync<Publication, PublishCatalogError> => {
            const changes = diffCatalogs(before ?? nothing, next);
            if (dryRun || changes.length === 0) return okAsync({ published: undefined, base, changes });
            return store.publish(next, base).map((published) => ({ published, base, changes }));
          }),
      );
    });
