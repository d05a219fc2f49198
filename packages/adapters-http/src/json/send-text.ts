import type { IncomingMessage, ServerResponse } from 'node:http';
import { gzip } from 'node:zlib';

/** Shorter texts get longer, or not shorter by enough. */
const GZIP_FROM = 1_400;
/** Quick: a text of offers becomes a fifth, a higher level takes it to a sixth. */
const GZIP_LEVEL = 1;

const acceptsGzip = (request: IncomingMessage): boolean =>
  /(^|[\s,])(gzip|\*)\s*(;\s*q\s*=\s*(1|0\.\d*[1-9])\d*)?\s*(,|$)/i.test(
    String(request.headers['accept-encoding'] ?? ''),
  );

/** Sends a whole text, with gzip where the client takes it and it pays. `HEAD` gets the same head and no body. */
export const sendText = (
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  headers: Record<string, string>,
  text: string,
): void => {
  const finish = (bytes: Buffer): void => {
    if (response.destroyed || response.headersSent) return;
    headers['content-length'] = String(bytes.length);
    response.writeHead(status, headers).end(request.method === 'HEAD' ? undefined : bytes);
  };
  const bytes = Buffer.from(text);
  if (bytes.length < GZIP_FROM) return finish(bytes);
  headers['vary'] = response.hasHeader('vary') ? 'origin, accept-encoding' : 'accept-encoding';
  if (!acceptsGzip(request)) return finish(bytes);
  gzip(bytes, { level: GZIP_LEVEL }, (error, zipped) => {
    if (error) return finish(bytes);
    headers['content-encoding'] = 'gzip';
    finish(zipped);
  });
};
