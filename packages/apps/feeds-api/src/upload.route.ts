import { feedErrors, feedInWords, takeFile } from '@doska/adapters-grpc';
import type { HttpRoute } from '@doska/adapters-http';
import type { FeedsUseCases } from '@doska/core/feeds';
import type { Access } from '@doska/core/kernel';
import { uploadDocs } from './route-docs.ts';

type UseCases = Pick<FeedsUseCases, 'upload' | 'loadParsed'>;
type Bounds = { readonly bytesMax: number; readonly msMax: number };
const sellers: Access = { roles: ['seller', 'service', 'operator'] };
const services: Access = { roles: ['service'] };
const IDLE_MS = 60_000;

/** `POST` with the file as the body. `Idempotency-Key` makes a repeated upload the same load. */
const uploadRoute = (
  path: string,
  access: Access,
  parsed: boolean,
  useCases: UseCases,
  { bytesMax, msMax }: Bounds,
): HttpRoute => ({
  method: 'POST',
  path,
  access,
  body: 'stream',
  bytesMax,
  msMax,
  idleMs: IDLE_MS,
  docs: uploadDocs(parsed),
  errors: feedErrors,
  handle: ({ caller, params, query, headers, stream }) => {
    const key = headers['idempotency-key'];
    const header = {
      sellerId: params['seller'] ?? '',
      namespace: params['namespace'] ?? '',
      replace: query.get('replace') === 'true',
      requestId: typeof key === 'string' ? key : '',
      parsed,
    };
    return takeFile(useCases, caller, header, stream as AsyncIterable<Uint8Array>)
      .map((load) => ({ status: 200, json: { task: String(load.task.id), place: load.task.place } }))
      .mapErr(feedInWords);
  },
});

export const uploadRoutes = (useCases: UseCases, bounds: Bounds): readonly HttpRoute[] => [
  uploadRoute('/v1/sellers/:seller/feeds/:namespace/loads', sellers, false, useCases, bounds),
  uploadRoute('/v1/sellers/:seller/parsed-feeds/:namespace/loads', services, true, useCases, bounds),
];
