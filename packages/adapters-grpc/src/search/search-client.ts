import {
  SearchServiceDefinition,
  type ExplainOfferResponse,
} from '@doska/adapters-proto/generated/doska/search/v1/search_service';
import type { RawQuery } from '@doska/core/search';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

/** Why an offer is in the results of a search or not, as the command line tells it. */
export type ToldOfferExplanation = {
  readonly found: boolean;
  readonly rank: number | undefined;
  readonly page: number | undefined;
  readonly total: number;
  /** The version that the index has. */
  readonly version: number | undefined;
  readonly exclusions: readonly {
    readonly kind: string;
    readonly subject: string;
    readonly reason: string;
  }[];
  readonly corrected: string | undefined;
  readonly relevance: number | undefined;
  readonly boosts: readonly { readonly field: string; readonly factor: number }[];
  readonly score: number | undefined;
};
export interface SearchClient {
  explainOffer(query: RawQuery, offerId: string): ResultAsync<ToldOfferExplanation, RpcError>;
}

const DEADLINE_MS = 30_000;
const toldFromPb = ({
  rank,
  page,
  version,
  score,
  spelling,
  ...pb
}: ExplainOfferResponse): ToldOfferExplanation => ({
  found: pb.found,
  rank: rank === undefined ? undefined : Number(rank),
  page: page === undefined ? undefined : Number(page),
  total: Number(pb.total),
  version: version === undefined ? undefined : Number(version),
  exclusions: pb.exclusions,
  corrected: spelling?.corrected,
  relevance: score?.relevance,
  boosts: (score?.boosts ?? []).map(({ field, factor }) => ({ field, factor })),
  score: score?.total,
});

export const searchClient = (channel: GrpcChannel): SearchClient => {
  const search = channel.client(SearchServiceDefinition);
  return {
    explainOffer: ({ filters, ...query }, offerId) =>
      search
        .explainOffer(
          { query: { ...query, filter: [...filters], snippetNames: [], snippetLanguage: '' }, offerId },
          { deadlineMs: DEADLINE_MS },
        )
        .map(toldFromPb),
  };
};
