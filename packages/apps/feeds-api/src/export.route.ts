import { feedAsked, feedErrors, feedInWords } from '@doska/adapters-grpc';
import type { HttpReply, HttpRoute } from '@doska/adapters-http';
import { csvHeader, csvOfErrors, type FeedsUseCases, type FeedTaskId, type LoadKey } from '@doska/core/feeds';
import { wholeNumber } from '@doska/core/kernel';
import { Result } from 'neverthrow';
import { EXPORT_DOCS } from './route-docs.ts';

const PAGE = 1_000;

/** All stored errors of a load, page by page: memory does not grow with their number. */
async function* csvOf(
  { listErrors }: Pick<FeedsUseCases, 'listErrors'>,
  key: LoadKey,
): AsyncGenerator<Uint8Array> {
  const encoder = new TextEncoder();
  yield encoder.encode(`\uFEFF${csvHeader}`);
  for (let after: { externalId: string; n: number } | undefined; ;) {
    const page = await listErrors(key, { limit: PAGE, ...(after ? { after } : {}) });
    if (page.isErr()) throw new Error(`the export was broken off: ${page.error.kind}`);
    if (page.value.length > 0) yield encoder.encode(csvOfErrors(page.value));
    const last = page.value.at(-1);
    if (!last || page.value.length < PAGE) return;
    after = { externalId: last.externalId, n: last.n };
  }
}

/** `GET …/loads/:task/errors.csv`. */
export const exportRoute = (
  useCases: Pick<FeedsUseCases, 'listErrors' | 'getLoad'>,
  msMax: number,
): HttpRoute => ({
  method: 'GET',
  path: '/v1/sellers/:seller/feeds/:namespace/loads/:task/errors.csv',
  access: { roles: ['seller', 'service', 'operator'] },
  msMax,
  docs: EXPORT_DOCS,
  errors: feedErrors,
  handle: ({ caller, params }) =>
    Result.combine([
      feedAsked(caller, { sellerId: params['seller'] ?? '', namespace: params['namespace'] ?? '' }),
      wholeNumber('task', Number(params['task'])),
    ])
      .map(([key, task]): LoadKey => ({ ...key, task: task as FeedTaskId }))
      .asyncAndThen((key) =>
        useCases.getLoad(key).map((): HttpReply => ({
          status: 200,
          headers: { 'content-disposition': `attachment; filename="errors-${key.task}.csv"` },
          contentType: 'text/csv; charset=utf-8',
          content: csvOf(useCases, key),
        })),
      )
      .mapErr(feedInWords),
});
