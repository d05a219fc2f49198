import { feedAsked, feedErrors, feedInWords } from '@doska/adapters-grpc';
import type { HttpReply, HttpRoute } from '@doska/adapters-http';
import { EXPORT_FORMATS, type ExportFormat, type FeedsUseCases, type FeedTaskId } from '@doska/core/feeds';
import { wholeNumber } from '@doska/core/kernel';
import { Result } from 'neverthrow';
import { exportDocs } from './route-docs.ts';

const CONTENT_TYPES: Readonly<Record<ExportFormat, string>> = {
  csv: 'text/csv; charset=utf-8',
  xlsx: 'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet',
};

/** `GET …/loads/:task/errors.csv` and `errors.xlsx`: all stored errors of a load. */
export const exportRoutes = (
  useCases: Pick<FeedsUseCases, 'exportErrors'>,
  msMax: number,
): readonly HttpRoute[] =>
  EXPORT_FORMATS.map((format) => ({
    method: 'GET',
    path: `/v1/sellers/:seller/feeds/:namespace/loads/:task/errors.${format}`,
    access: { roles: ['seller', 'service', 'operator'] },
    msMax,
    docs: exportDocs(format),
    errors: feedErrors,
    handle: ({ caller, params }) =>
      Result.combine([
        feedAsked(caller, { sellerId: params['seller'] ?? '', namespace: params['namespace'] ?? '' }),
        wholeNumber('task', Number(params['task'])),
      ])
        .asyncAndThen(([key, task]) =>
          useCases.exportErrors({ ...key, task: task as FeedTaskId }, format).map((content): HttpReply => ({
            status: 200,
            headers: { 'content-disposition': `attachment; filename="errors-${task}.${format}"` },
            contentType: CONTENT_TYPES[format],
            content,
          })),
        )
        .mapErr(feedInWords),
  }));
