import { viewOf, type Gost } from '@doska/core/gost';
import { unavailable, type InvalidInput, type Unavailable } from '@doska/core/kernel';
import {
  OFFERS_CLIENT,
  type EpochGone,
  type IndexEpochs,
  type OfferSource,
  type SearchIndex,
} from '@doska/core/search';
import type {
  ClientName,
  IndexWord,
  RawDocument,
  SearchAnswer,
  SearchRequest,
  Vasgen,
  WordsPlan,
} from '@doska/core/vasgen';
import { ResultAsync } from 'neverthrow';

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
/** The calls of a searcher: one of this process, or one over the network. */
export type SearcherCalls = {
  readonly execute: Execute;
  readonly getDocuments: GetDocuments;
  readonly words: Words;
};
const withoutEpoch = (error: EpochGone | InvalidInput | Unavailable): InvalidInput | Unavailable =>
  error.kind === 'EpochGone' ? unavailable('searcher', error) : error;

/** The index of offers. */
export const searchIndexOf = ({ execute, getDocuments, words }: SearcherCalls): SearchIndex => ({
  words: (plan) => words(CLIENT, undefined, plan).mapErr(asSearchError(undefined)).mapErr(withoutEpoch),
  execute: (request) => execute(CLIENT, request).mapErr(asSearchError(request.epoch)),
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

export const offerSourceOf = ({ useCases: { findOffers } }: Pick<Gost, 'useCases'>): OfferSource => ({
  find: (ids) =>
    findOffers(ids).map((found) => new Map(found.map(({ offer }) => [offer.id, viewOf(offer)] as const))),
});
