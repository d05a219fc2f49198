import type { RouteDocs } from '@doska/adapters-http';
import type { ExportFormat } from '@doska/core/feeds';

const text = { type: 'string' } as const;
const parameter = (name: string, description: string, example: string) =>
  ({ name, in: 'path', description, schema: text, example }) as const;
const SELLER = parameter('seller', 'The id of the seller.', 'seller-1');

/** How an upload is described in the OpenAPI document. */
export const uploadDocs = (parsed: boolean): RouteDocs => ({
  id: parsed ? 'uploadParsedFeed' : 'uploadFeed',
  tag: 'Feeds',
  summary: parsed ? 'Load a file of a crawler' : 'Upload a feed file',
  description: 'The body is the file itself. It may be compressed with gzip.',
  parameters: [
    SELLER,
    parsed
      ? parameter('namespace', 'The name of the source.', 'avito')
      : parameter('namespace', 'Which of the seller’s feeds.', 'main'),
    {
      name: 'replace',
      in: 'query',
      description: 'The feed has a link: switch it to uploads.',
      schema: { type: 'boolean' },
    },
    {
      name: 'Idempotency-Key',
      in: 'header',
      description: 'The same key again is the same load.',
      schema: text,
    },
  ],
  body: {
    'application/octet-stream': { schema: { type: 'string', format: 'binary' }, example: '<feed></feed>' },
  },
  answers: {
    200: {
      description: 'The load waits for a processor.',
      content: {
        'application/json': {
          schema: { type: 'object', properties: { task: text, place: text } },
          example: { task: '1', place: 'queued' },
        },
      },
    },
  },
});
const EXPORTED: Readonly<Record<ExportFormat, RouteDocs['answers'][200]>> = {
  csv: {
    description: 'The errors.',
    content: {
      'text/csv': { schema: text, example: 'external_id,title,level,code,path,message,value,line' },
    },
  },
  xlsx: {
    description: 'The errors. After 1,048,576 rows the next sheet begins.',
    content: {
      'application/vnd.openxmlformats-officedocument.spreadsheetml.sheet': {
        schema: { type: 'string', format: 'binary' },
        example: 'PK…',
      },
    },
  },
};
export const exportDocs = (format: ExportFormat): RouteDocs => ({
  id: format === 'csv' ? 'exportFeedErrors' : 'exportFeedErrorsAsXlsx',
  tag: 'Feeds',
  summary: `All stored errors of a load as ${format.toUpperCase()}`,
  parameters: [
    SELLER,
    parameter('namespace', 'Which of the seller’s feeds.', 'main'),
    parameter('task', 'The number of the load.', '1'),
  ],
  answers: { 200: EXPORTED[format] },
});
