import { viewOf, type Gost, type OfferView } from '@doska/core/gost';
import { invalidInput, unavailable, type InvalidInput, type Unavailable } from '@doska/core/kernel';
import {
  OFFERS_CLIENT,
  type EpochGone,
  type IndexEpochs,
  type IndexedOffers,
  type OfferPage,
  type OfferSource,
  type SearchIndex,
  type SnippetSource,
} from '@doska/core/search';
import type { Snippets } from '@doska/core/snippets';
import type {
  ClientName,
  ExplainAnswer,
  IndexWord,
  RawDocument,
  SearchAnswer,
  SearchRequest,
  Vasgen,
  WordsPlan,
} from '@doska/core/vasgen';
import { err, ok, ResultAsync, type Result } from 'neverthrow';

const CLIENT = OFFERS_CLIENT as ClientName;
type Failure = { readonly kind: string };

/** Errors of a searcher as the search API knows them. */
const asSearchError =
  (epoch: number | undefined) =>
  (error: Failure): EpochGone | InvalidInput | Unavailable => {
    const known = error as Failure & { readonly reason?: string };
    if (error.kind === 'UnknownEpoch' || known.reason === 'UnknownEpoch')
      return { kind: 'EpochGone', epoch: epoch ?? 0 };
    if (error.kind === 'InvalidInput') return error as InvalidInput;
    if (error.kind === 'PlanInvalid') return { ...(error as unknown as InvalidInput), kind: 'InvalidInput' };
    return error.kind === 'Unavailable' ? (error as Unavailable) : unavailable('searcher', error);
  };
const withoutInput = (error: EpochGone | InvalidInput | Unavailable): EpochGone | Unavailable =>
  error.kind === 'InvalidInput' ? unavailable('searcher', error, false) : error;

type Execute = (client: ClientName, request: SearchRequest) => ResultAsync<SearchAnswer, Failure>;
type GetDocuments = (
  client: ClientName,
  epoch: number | undefined,
  pks: readonly string[],
) => ResultAsync<readonly RawDocument[], Failure>;

type Words = (
  client: ClientName,
  epoch: number | undefined,
  plan: WordsPlan,
) => ResultAsync<readonly IndexWord[], Failure>;
type Explain = (
  client: ClientName,
  request: SearchRequest,
  pk: string,
) => ResultAsync<ExplainAnswer, Failure>;
/** The calls of a searcher: one of this process, or one over the network. */
export type SearcherCalls = {
  readonly execute: Execute;
  readonly explain: Explain;
  readonly getDocuments: GetDocuments;
  readonly words: Words;
};
const withoutEpoch = (error: EpochGone | InvalidInput | Unavailable): InvalidInput | Unavailable =>
  error.kind === 'EpochGone' ? unavailable('searcher', error) : error;

/** The index of offers. */
export const searchIndexOf = ({ execute, explain, getDocuments, words }: SearcherCalls): SearchIndex => ({
  words: (plan) => words(CLIENT, undefined, plan).mapErr(asSearchError(undefined)).mapErr(withoutEpoch),
  execute: (request) => execute(CLIENT, request).mapErr(asSearchError(request.epoch)),
  explain: (request, pk) => explain(CLIENT, request, pk).mapErr(asSearchError(request.epoch)),
  documents: (epoch, pks) =>
    getDocuments(CLIENT, epoch, pks).mapErr(asSearchError(epoch)).mapErr(withoutInput),
});

export const indexEpochsOf = ({ useCases: { epochs } }: Pick<Vasgen, 'useCases'>): IndexEpochs => ({
  living: () =>
    new ResultAsync(epochs.get(CLIENT))
      .map((known) => known.epochs)
      .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('epochs', error))),
  declare: (epoch, fields, plans) =>
    new ResultAsync(epochs.declareFields(CLIENT, epoch, fields, plans))
      .map(() => undefined)
      .mapErr((error) =>
        error.kind === 'Unavailable' || error.kind === 'InvalidInput' ? error : unavailable('epochs', error),
      ),
});

type Versions = Pick<SearchIndex, 'documents'>;
/** The living documents of this process's registry, or of a searcher's. */
export const indexedOffersOf = (page: IndexedOffers['page'], { documents }: Versions): IndexedOffers => ({
  page,
  versions: (epoch, pks) =>
    documents(epoch, pks)
      .map((found) => new Map(found.map(({ pk, version }) => [pk, version] as const)))
      .mapErr((error) => (error.kind === 'EpochGone' ? unavailable('epoch', error) : error)),
});
export const registryPageOf =
  ({ useCases: { scanRegistry } }: Pick<Vasgen, 'useCases'>): IndexedOffers['page'] =>
  (epoch, cursor) =>
    scanRegistry(CLIENT, epoch, cursor).map(({ rows, next }) => ({
      offers: rows.flatMap(({ pk, status, place }) =>
        status === 'alive' ? [{ pk, version: place.version }] : [],
      ),
      next,
    }));

const PAGE_OFFERS = 500;
export const offerSourceOf = ({
  useCases: { findOffers, scanOffers },
}: Pick<Gost, 'useCases'>): OfferSource => ({
  page: (cursor) => {
    const readPage = async (): Promise<Result<OfferPage, InvalidInput | Unavailable>> => {
      const views: OfferView[] = [];
      const query = { parts: 1, part: 0, ...(cursor !== '' && { cursor }) };
      for await (const piece of scanOffers(query, new AbortController().signal)) {
        if (piece.isErr())
          return err(
            piece.error.kind === 'InvalidPageToken'
              ? invalidInput({
                  path: 'cursor',
                  code: 'Malformed',
                  message: 'use the cursor of an earlier answer',
                })
              : piece.error,
          );
        views.push(...piece.value.views);
        if (views.length >= PAGE_OFFERS) return ok({ views, next: piece.value.cursor });
      }
      return ok({ views, next: undefined });
    };
    return new ResultAsync(readPage());
  },
  find: (ids) =>
    findOffers(ids).map((found) => new Map(found.map(({ offer }) => [offer.id, viewOf(offer)] as const))),
});

/** The snippet service of this process. */
export const snippetSourceOf = ({ useCases }: Pick<Snippets, 'useCases'>): SnippetSource => ({
  find: (query) =>
    useCases
      .multiGet(query)
      .mapErr((error) => (error.kind === 'Unavailable' ? error : unavailable('snippets', error, false))),
});
