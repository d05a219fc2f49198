import { documentFromPb } from '@doska/adapters-proto';
import { SearcherServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/searcher_service';
import type {
  ClientName,
  ExplainAnswer,
  IndexWord,
  RawDocument,
  SearchAnswer,
  SearchRequest,
  WordsPlan,
} from '@doska/core/vasgen';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { answerFromPb } from './answer.mapper.ts';
import { explanationFromPb } from './explanation.mapper.ts';
import { requestToPb } from './query.mapper.ts';

export type LivingPage = {
  readonly offers: readonly { readonly pk: string; readonly version: number }[];
  readonly next: string | undefined;
};
/** A searcher over the network. */
export interface SearcherClient {
  execute(client: ClientName, request: SearchRequest): ResultAsync<SearchAnswer, RpcError>;
  explain(client: ClientName, request: SearchRequest, pk: string): ResultAsync<ExplainAnswer, RpcError>;
  getDocuments(
    client: ClientName,
    epoch: number | undefined,
    pks: readonly string[],
  ): ResultAsync<readonly RawDocument[], RpcError>;
  /** Living documents of an epoch. `next`: where the scan goes on; undefined at its end. */
  livingPage(client: ClientName, epoch: number, cursor: string): ResultAsync<LivingPage, Unavailable>;
  words(
    client: ClientName,
    epoch: number | undefined,
    plan: WordsPlan,
  ): ResultAsync<readonly IndexWord[], RpcError>;
}

const DEADLINE_MS = 5_000;
const PAGE_ROWS = 1_000;

export const searcherClient = (channel: GrpcChannel, deadlineMs = DEADLINE_MS): SearcherClient => {
  const searcher = channel.client(SearcherServiceDefinition);
  return {
    execute: (client, request) =>
      searcher.execute(requestToPb(client, request), { deadlineMs }).map(answerFromPb),
    explain: (client, request, pk) =>
      searcher
        .explain({ client, query: requestToPb(client, request), pk }, { deadlineMs })
        .map(explanationFromPb),
    getDocuments: (client, epoch, pks) =>
      searcher
        .getDocuments({ client, epoch: BigInt(epoch ?? 0), pks: [...pks] }, { deadlineMs })
        .map(({ documents }) => documents.map(documentFromPb)),
    livingPage: (client, epoch, cursor) => {
      const readPage = async (): Promise<LivingPage> => {
        const living: { readonly pk: string; readonly version: number }[] = [];
        let next = cursor;
        let seen = 0;
        for await (const piece of searcher.scanRegistry({ client, epoch: BigInt(epoch), cursor })) {
          if (piece.isErr()) throw new Error(piece.error.kind, { cause: piece.error });
          const { pk = '', document } = piece.value.document ?? {};
          if (document) living.push({ pk, version: Number(document.version) });
          next = piece.value.cursor;
          if (++seen >= PAGE_ROWS) return { offers: living, next };
        }
        return { offers: living, next: undefined };
      };
      return ResultAsync.fromPromise(readPage(), (cause) => unavailable('registry scan', cause));
    },
    words: (client, epoch, { prefix = '', after = '', limit }) =>
      searcher
        .words({ client, epoch: BigInt(epoch ?? 0), prefix, after, limit }, { deadlineMs })
        .map(({ words }) => words.map(({ word, documents }) => ({ word, documents: Number(documents) }))),
  };
};
