import { contentFromPb, contentToPb } from '@doska/adapters-proto';
import {
  CatalogServiceDefinition,
  type ExportCatalogResponse,
  type PublishCatalogRequest,
  type PublishHeader,
} from '@doska/adapters-proto/generated/doska/catalog/v1/catalog';
import type {
  Catalog,
  CatalogChangesQuery,
  CatalogContent,
  CategoryId,
  PublishCatalog,
  PublishCatalogError,
  UnknownVersion,
} from '@doska/core/catalog';
import {
  invalidInput,
  type Access,
  type InvalidInput,
  type Malformed,
  type Unavailable,
} from '@doska/core/kernel';
import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { grpcService, type GrpcService } from '../server/service.ts';
import { changeToPb, detailsToPb, treeToPb } from './catalog.mapper.ts';

/** There is no version yet. */
export type CatalogEmpty = { readonly kind: 'CatalogEmpty' };
export type UnknownCategory = { readonly kind: 'UnknownCategory'; readonly message: string };
export type CatalogServiceNeeds = {
  /** The catalogue of a version, 0 = the newest. The same version gives the same object, so that what it remembers is kept. */
  readonly catalog: (version: number) => ResultAsync<Catalog, CatalogEmpty | UnknownVersion | Unavailable>;
  readonly newest: () => ResultAsync<number, Unavailable>;
  readonly changes: CatalogChangesQuery;
  readonly publish: PublishCatalog;
  /** Who may read. */
  readonly access: Access;
};

const IDS_MAX = 100;
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
      content.categories.push(...read.value.categories);
      content.attributes.push(...read.value.attributes);
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
  error: PublishCatalogError,
): Exclude<PublishCatalogError, { kind: 'BrokenCatalog' }> | InvalidInput => {
  if (error.kind === 'BrokenCatalog') return invalidInput(...error.mistakes);
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
}: CatalogServiceNeeds): GrpcService => {
  async function* exportCatalog({
    version,
  }: {
    version: number;
  }): AsyncGenerator<Result<ExportCatalogResponse, CatalogEmpty | UnknownVersion | Unavailable>> {
    const found = await catalog(version);
    if (found.isErr()) {
      yield err(found.error);
      return;
    }
    const pieces = piecesOf(found.value.content);
    for (const [i, piece] of pieces.entries())
      yield ok({ version: found.value.version, ...contentToPb(piece), complete: i === pieces.length - 1 });
  }
  return grpcService({
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
    handlers: {
      getVersion: () => newest().map((version) => ({ version })),
      getTree: ({ version, language }) =>
        catalog(version).map((found) => ({ version: found.version, nodes: treeToPb(found, language) })),
      getCategory: ({ id, version, language }) =>
        catalog(version).andThen((found) => {
          const category = found.category(id as CategoryId);
          if (!category)
            return err({ kind: 'UnknownCategory' as const, message: `there is no category ${id}` });
          return ok({ version: found.version, details: detailsToPb(found, category, language) });
        }),
      batchGetCategories: async ({ ids, version, language }) => {
        if (ids.length > IDS_MAX)
          return err(invalidInput({ path: 'ids', code: 'TooMany', message: `at most ${IDS_MAX}` }));
        return catalog(version).map((found) => ({
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
        changes({ since: sinceVersion, ...(untilVersion === 0 ? {} : { until: untilVersion }) }).map(
          ({ version, changes: found }) => ({ version, changes: found.map(changeToPb) }),
        ),
      publishCatalog: (stream) =>
        new ResultAsync(readUpload(stream)).andThen(
          ({ header: { expectedVersion, allowTypeChanges, dryRun }, content }) =>
            publish({
              content,
              allowTypeChanges,
              dryRun,
              ...(expectedVersion === undefined ? {} : { expected: expectedVersion }),
            })
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
