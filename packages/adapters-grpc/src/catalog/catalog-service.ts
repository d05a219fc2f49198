import { contentFromPb, contentToPb } from '@doska/adapters-proto';
import {
  CatalogServiceDefinition,
  type ExportCatalogResponse,
  type PublishCatalogRequest,
  type PublishHeader,
} from '@doska/adapters-proto/generated/doska/catalog/v1/catalog';
import {
  CATALOG_VERSION_MAX,
  type CatalogContent,
  type CatalogEmpty,
  type CatalogUseCases,
  type CategoryId,
  type PublishCatalogError,
  type UnknownVersion,
} from '@doska/core/catalog';
import {
  invalidInput,
  invalidInputOf,
  wholeNumber,
  type Access,
  type InvalidInput,
  type Malformed,
  type Unavailable,
} from '@doska/core/kernel';
import { err, ok, Result, ResultAsync } from 'neverthrow';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { changeToPb, detailsToPb, treeToPb } from './catalog.mapper.ts';

export type UnknownCategory = { readonly kind: 'UnknownCategory'; readonly message: string };
export type CatalogServiceNeeds = CatalogUseCases & {
  /** Who may read. */
  readonly access: Access;
  /** How long caches may keep what they read over HTTP, in seconds. */
  readonly maxAgeSec: number;
};

const IDS_MAX = 100;
const versionFromPb = (version: number, path = 'version'): Result<number, InvalidInput> =>
  wholeNumber(path, version, { max: CATALOG_VERSION_MAX });
const versionOf = ({ version }: { readonly version: number }): number => version;
/** Categories or attributes in one piece of an export: some hundred kilobytes. */
const PIECE = 200;

const piecesOf = ({ categories, attributes }: CatalogContent): CatalogContent[] => {
  const pieces: CatalogContent[] = [];
  for (let at = 0; at < categories.length; at += PIECE)
    pieces.push({ categories: categories.slice(at, at + PIECE), attributes: [] });
  for (let at = 0; at < attributes.length; at += PIECE)
    pieces.push({ categories: [], attributes: attributes.slice(at, at + PIECE) });
  return pieces;
};
type Upload = { readonly header: PublishHeader; readonly content: CatalogContent };
/** A stream that lacks its end was cut off: it publishes nothing. */
const readUpload = async (
  stream: AsyncIterable<PublishCatalogRequest>,
): Promise<Result<Upload, InvalidInput | Malformed>> => {
  let header: PublishHeader | undefined;
  const content: {
    categories: CatalogContent['categories'][number][];
    attributes: CatalogContent['attributes'][number][];
  } = { categories: [], attributes: [] };
  for await (const { piece } of stream) {
    if (piece?.$case === 'header') header = piece.value;
    if (piece?.$case === 'content') {
      const read = contentFromPb(piece.value);
      if (read.isErr()) return err(read.error);
      for (const category of read.value.categories) content.categories.push(category);
      for (const attribute of read.value.attributes) content.attributes.push(attribute);
    }
    if (piece?.$case === 'end')
      return header
        ? ok({ header, content })
        : err(invalidInput({ path: 'header', code: 'Missing', message: 'the first message is the header' }));
  }
  return err(invalidInput({ path: 'end', code: 'Missing', message: 'the stream was cut off' }));
};
/** Mistakes of a catalogue are violations of its publisher's input. */
const toCaller = (
  error: PublishCatalogError | InvalidInput,
): Exclude<PublishCatalogError, { kind: 'BrokenCatalog' }> | InvalidInput => {
  if (error.kind === 'BrokenCatalog') return invalidInputOf(error.mistakes);
  if (error.kind !== 'TypeChanges') return error;
  const words = error.changes.map(({ attribute, from, to }) => `${attribute}: ${from} → ${to}`).join(', ');
  return {
    ...error,
    message: `attributes would change their type (${words}); say so explicitly`,
  } as typeof error;
};

export const catalogService = ({
  catalog,
  newest,
  changes,
  publish,
  access,
  maxAgeSec,
}: CatalogServiceNeeds): RpcService => {
  async function* exportCatalog({
    version,
  }: {
    version: number;
  }): AsyncGenerator<
    Result<ExportCatalogResponse, CatalogEmpty | UnknownVersion | InvalidInput | Unavailable>
  > {
    const found = await versionFromPb(version).asyncAndThen(catalog);
    if (found.isErr()) {
      yield err(found.error);
      return;
    }
    const pieces = piecesOf(found.value.content);
    for (const [i, piece] of pieces.entries())
      yield ok({ version: found.value.version, ...contentToPb(piece), complete: i === pieces.length - 1 });
  }
  return rpcService({
    definition: CatalogServiceDefinition,
    access: {
      getVersion: access,
      getTree: access,
      getCategory: access,
      batchGetCategories: access,
      exportCatalog: access,
      listChanges: access,
      publishCatalog: { roles: ['operator'] },
    },
    errors: {
      CatalogEmpty: 'NOT_FOUND',
      UnknownVersion: 'NOT_FOUND',
      UnknownCategory: 'NOT_FOUND',
      TypeChanges: 'FAILED_PRECONDITION',
      VersionTaken: 'ABORTED',
    },
    http: {
      getVersion: { version: versionOf },
      getTree: { version: versionOf, maxAgeSec },
      getCategory: { version: versionOf, maxAgeSec },
      batchGetCategories: { version: versionOf, maxAgeSec },
      listChanges: { maxAgeSec },
    },
    handlers: {
      getVersion: () => newest().map((version) => ({ version })),
      getTree: ({ version, language }) =>
        versionFromPb(version)
          .asyncAndThen(catalog)
          .map((found) => ({ version: found.version, nodes: treeToPb(found, language) })),
      getCategory: ({ id, version, language }) =>
        versionFromPb(version)
          .asyncAndThen(catalog)
          .andThen((found) => {
            const category = found.category(id as CategoryId);
            if (!category)
              return err({
                kind: 'UnknownCategory' as const,
                message: `there is no category ${id.slice(0, 50)}`,
              });
            return ok({ version: found.version, details: detailsToPb(found, category, language) });
          }),
      batchGetCategories: async ({ ids, version, language }) => {
        if (ids.length > IDS_MAX)
          return err(invalidInput({ path: 'ids', code: 'TooMany', message: `at most ${IDS_MAX}` }));
        return versionFromPb(version)
          .asyncAndThen(catalog)
          .map((found) => ({
            version: found.version,
            details: ids.flatMap((id) => {
              const category = found.category(id as CategoryId);
              return category ? [detailsToPb(found, category, language)] : [];
            }),
            unknownIds: ids.filter((id) => !found.category(id as CategoryId)),
          }));
      },
      exportCatalog,
      listChanges: ({ sinceVersion, untilVersion }) =>
        Result.combine([
          versionFromPb(sinceVersion, 'since_version'),
          versionFromPb(untilVersion, 'until_version'),
        ])
          .asyncAndThen(([since, until]) => changes({ since, ...(until === 0 ? {} : { until }) }))
          .map(({ version, changes: found }) => ({ version, changes: found.map(changeToPb) })),
      publishCatalog: (stream) =>
        new ResultAsync(readUpload(stream)).andThen(
          ({ header: { expectedVersion, allowTypeChanges, dryRun }, content }) =>
            versionFromPb(expectedVersion ?? 0, 'header.expected_version')
              .asyncAndThen((expected) =>
                publish({
                  content,
                  allowTypeChanges,
                  dryRun,
                  ...(expectedVersion === undefined ? {} : { expected }),
                }),
              )
              .map(({ published, base, changes: found }) => ({
                publishedVersion: published?.version ?? 0,
                baseVersion: base,
                changes: found.map(changeToPb),
              }))
              .mapErr(toCaller),
        ),
    },
  });
};
