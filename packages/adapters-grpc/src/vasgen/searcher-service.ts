import { documentToPb, placeToPb } from '@doska/adapters-proto';
import {
  SearcherServiceDefinition,
  type ExecuteRequest,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/searcher_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, unavailable, type Access, type InvalidInput } from '@doska/core/kernel';
import {
  scanCursorText,
  pkHashOf,
  type ClientName,
  type IndexedDocument,
  type RegistryRow,
  type Searcher,
  type SearchRequest,
  type VasgenUseCases,
} from '@doska/core/vasgen';
import { err, ok, type Result } from 'neverthrow';
import { answerToPb } from './answer.mapper.ts';
import { explanationToPb } from './explanation.mapper.ts';
import { requestFromPb } from './query.mapper.ts';
import { clientFromPb, epochFromPb, vasgenErrors, withMessage } from './vasgen-errors.ts';

export type SearcherServiceNeeds = Pick<VasgenUseCases, 'getDocuments' | 'scanRegistry'> & {
  readonly searcher: Pick<Searcher, 'execute' | 'explain' | 'words'>;
  readonly indexedOf: (row: RegistryRow) => Result<IndexedDocument, string>;
};
type Asked = { readonly client: ClientName; readonly request: SearchRequest };
const askedFromPb = (name: string, pb: ExecuteRequest): Result<Asked, InvalidInput> =>
  clientFromPb(name).andThen((client) =>
    requestFromPb(pb).andThen((request) =>
      epochFromPb(pb.epoch).map((epoch) => ({
        client,
        request: epoch === undefined ? request : { ...request, epoch },
      })),
    ),
  );
const WORDS_A_PAGE = 1_000;
const trusted: Access = { roles: ['service', 'operator'] };

export const searcherService = (needs: SearcherServiceNeeds): RpcService => {
  const { searcher, getDocuments, scanRegistry, indexedOf } = needs;
  return rpcService({
    definition: SearcherServiceDefinition,
    access: {
      execute: trusted,
      explain: trusted,
      getDocuments: trusted,
      words: trusted,
      scanRegistry: trusted,
    },
    errors: vasgenErrors,
    handlers: {
      execute: (pb) =>
        askedFromPb(pb.client, pb)
          .asyncAndThen(({ client, request }) => searcher.execute(client, request))
          .map(answerToPb)
          .mapErr(withMessage),
      explain: ({ client: name, query, pk }) =>
        (query
          ? askedFromPb(name, query)
          : err(invalidInput({ path: 'query', code: 'Missing', message: 'a query is needed' }))
        )
          .andThen((asked) =>
            pk === ''
              ? err(invalidInput({ path: 'pk', code: 'Missing', message: 'the key of a document' }))
              : ok(asked),
          )
          .asyncAndThen(({ client, request }) => searcher.explain(client, request, pk))
          .map(explanationToPb)
          .mapErr(withMessage),
      getDocuments: ({ client: name, epoch, pks }) =>
        clientFromPb(name)
          .andThen((client) => epochFromPb(epoch).map((asked) => ({ client, asked })))
          .asyncAndThen(({ client, asked }) => getDocuments(client, asked, pks))
          .map((documents) => ({ documents: documents.map(documentToPb) }))
          .mapErr(withMessage),
      words: ({ client: name, epoch, prefix, after, limit }) =>
        clientFromPb(name)
          .andThen((client) => epochFromPb(epoch).map((asked) => ({ client, asked })))
          .asyncAndThen(({ client, asked }) =>
            searcher.words(client, asked, {
              limit: limit === 0 ? WORDS_A_PAGE : limit,
              ...(prefix !== '' && { prefix }),
              ...(after !== '' && { after }),
            }),
          )
          .map((words) => ({
            words: words.map(({ word, documents }) => ({ word, documents: BigInt(documents) })),
          }))
          .mapErr(withMessage),
      scanRegistry: async function* ({ client: name, epoch, cursor }, { signal }) {
        const asked = clientFromPb(name).andThen((client) =>
          epochFromPb(epoch).map((living) => ({ client, living: living ?? 1 })),
        );
        if (asked.isErr()) {
          yield err(asked.error);
          return;
        }
        const { client, living } = asked.value;
        for (let from = cursor; !signal.aborted;) {
          const page = await scanRegistry(client, living, from);
          if (page.isErr()) {
            yield err(page.error);
            return;
          }
          for (const row of page.value.rows) {
            const indexed = indexedOf(row);
            if (indexed.isErr()) {
              yield err(unavailable(`registry row ${row.pk}`, new Error(indexed.error), false));
              return;
            }
            const { pk, place, schema, document } = indexed.value;
            yield ok({
              document: {
                pk,
                place: placeToPb(place),
                schema: BigInt(schema),
                document: document && documentToPb(document),
              },
              cursor: scanCursorText({ hash: pkHashOf(pk), pk }),
            });
          }
          if (page.value.next === undefined) return;
          from = page.value.next;
        }
      },
    },
  });
};
