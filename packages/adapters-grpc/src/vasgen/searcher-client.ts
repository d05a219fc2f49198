import { documentFromPb } from '@doska/adapters-proto';
import { SearcherServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/searcher_service';
import type {
  ClientName,
  IndexWord,
  RawDocument,
  SearchAnswer,
  SearchRequest,
  WordsPlan,
} from '@doska/core/vasgen';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { answerFromPb } from './answer.mapper.ts';
import { requestToPb } from './query.mapper.ts';

/** A searcher over the network. */
export interface SearcherClient {
  execute(client: ClientName, request: SearchRequest): ResultAsync<SearchAnswer, RpcError>;
  getDocuments(
    client: ClientName,
    epoch: number | undefined,
    pks: readonly string[],
  ): ResultAsync<readonly RawDocument[], RpcError>;
  words(
    client: ClientName,
    epoch: number | undefined,
    plan: WordsPlan,
  ): ResultAsync<readonly IndexWord[], RpcError>;
}

const DEADLINE_MS = 5_000;

export const searcherClient = (channel: GrpcChannel, deadlineMs = DEADLINE_MS): SearcherClient => {
  const searcher = channel.client(SearcherServiceDefinition);
  return {
    execute: (client, request) =>
      searcher.execute(requestToPb(client, request), { deadlineMs }).map(answerFromPb),
    getDocuments: (client, epoch, pks) =>
      searcher
        .getDocuments({ client, epoch: BigInt(epoch ?? 0), pks: [...pks] }, { deadlineMs })
        .map(({ documents }) => documents.map(documentFromPb)),
    words: (client, epoch, { prefix = '', after = '', limit }) =>
      searcher
        .words({ client, epoch: BigInt(epoch ?? 0), prefix, after, limit }, { deadlineMs })
        .map(({ words }) => words.map(({ word, documents }) => ({ word, documents: Number(documents) }))),
  };
};
