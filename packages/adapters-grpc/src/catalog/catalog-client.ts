import { contentFromPb, contentToPb } from '@doska/adapters-proto';
import {
  CatalogServiceDefinition,
  Language,
  type CategoryDetails,
  type PublishCatalogRequest,
  type TreeNode,
} from '@doska/adapters-proto/generated/doska/catalog/v1/catalog';
import type { CatalogChange, CatalogContent, CatalogSource } from '@doska/core/catalog';
import { unavailable, type Malformed, type Unavailable } from '@doska/core/kernel';
import { err, ok, Result, ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { changeFromPb } from './catalog.mapper.ts';

export type { CategoryDetails, TreeNode };
export type PublishOptions = {
  readonly expected?: number;
  readonly allowTypeChanges?: boolean;
  readonly dryRun?: boolean;
};
export type PublishAnswer = {
  readonly publishedVersion: number;
  readonly baseVersion: number;
  readonly changes: readonly CatalogChange[];
};
type Failure = RpcError | Malformed;

/** The catalogue over the network; as a `CatalogSource` it feeds a cache. */
export interface CatalogClient extends CatalogSource {
  tree(options?: {
    readonly version?: number;
  }): ResultAsync<{ readonly version: number; readonly nodes: readonly TreeNode[] }, Failure>;
  category(
    id: string,
    options?: { readonly version?: number },
  ): ResultAsync<{ readonly version: number; readonly details: CategoryDetails }, Failure>;
  changes(
    since: number,
    until?: number,
  ): ResultAsync<{ readonly version: number; readonly changes: readonly CatalogChange[] }, Failure>;
  publish(content: CatalogContent, options?: PublishOptions): ResultAsync<PublishAnswer, Failure>;
}

const PIECE = 200;
const DEADLINE_MS = 30_000;
const changesFromPb = (changes: Parameters<typeof changeFromPb>[0][]): Result<CatalogChange[], Malformed> =>
  Result.combine(changes.map(changeFromPb));
/** A cache knows one failure. */
const asUnavailable = (error: Failure): Unavailable =>
  error.kind === 'Unavailable' ? error : unavailable(`catalogue: ${error.kind}`, error, false);

async function* uploadOf(
  content: CatalogContent,
  { expected, allowTypeChanges = false, dryRun = false }: PublishOptions,
): AsyncGenerator<PublishCatalogRequest> {
  yield { piece: { $case: 'header', value: { expectedVersion: expected, allowTypeChanges, dryRun } } };
  const { categories, attributes } = contentToPb(content);
  for (let at = 0; at < categories.length; at += PIECE)
    yield {
      piece: { $case: 'content', value: { categories: categories.slice(at, at + PIECE), attributes: [] } },
    };
  for (let at = 0; at < attributes.length; at += PIECE)
    yield {
      piece: { $case: 'content', value: { categories: [], attributes: attributes.slice(at, at + PIECE) } },
    };
  yield { piece: { $case: 'end', value: {} } };
}

export const catalogClient = (channel: GrpcChannel): CatalogClient => {
  const client = channel.client(CatalogServiceDefinition);
  const fetchNewest = async (): Promise<
    Result<{ version: number; content: CatalogContent } | undefined, Failure>
  > => {
    const content: {
      categories: CatalogContent['categories'][number][];
      attributes: CatalogContent['attributes'][number][];
    } = { categories: [], attributes: [] };
    for await (const piece of client.exportCatalog({ version: 0 }, { deadlineMs: DEADLINE_MS })) {
      if (piece.isErr())
        return piece.error.kind === 'Rejected' && piece.error.reason === 'CatalogEmpty'
          ? ok(undefined)
          : err(piece.error);
      const read = contentFromPb(piece.value);
      if (read.isErr()) return err(read.error);
      content.categories.push(...read.value.categories);
      content.attributes.push(...read.value.attributes);
      if (piece.value.complete) return ok({ version: piece.value.version, content });
    }
    return err(unavailable('the export of the catalogue was cut off'));
  };
  return {
    newest: () =>
      client
        .getVersion({}, { deadlineMs: 5_000 })
        .map(({ version }) => version)
        .mapErr(asUnavailable),
    fetch: () => new ResultAsync(fetchNewest()).mapErr(asUnavailable),
    tree: ({ version = 0 } = {}) => client.getTree({ version, language: Language.LANGUAGE_UNSPECIFIED }),
    category: (id, { version = 0 } = {}) =>
      client
        .getCategory({ id, version, language: Language.LANGUAGE_UNSPECIFIED })
        .andThen(({ version: actual, details }) =>
          details
            ? ok({ version: actual, details })
            : err<never, Failure>({ kind: 'Malformed', what: 'GetCategory', field: 'details' }),
        ),
    changes: (since, until = 0) =>
      client
        .listChanges({ sinceVersion: since, untilVersion: until })
        .andThen(({ version, changes }) =>
          changesFromPb(changes).map((read) => ({ version, changes: read })),
        ),
    publish: (content, options = {}) =>
      client
        .publishCatalog(uploadOf(content, options), { deadlineMs: DEADLINE_MS })
        .andThen(({ publishedVersion, baseVersion, changes }) =>
          changesFromPb(changes).map((read) => ({ publishedVersion, baseVersion, changes: read })),
        ),
  };
};
