import { once } from 'node:events';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createServer as createTlsServer } from 'node:https';
import type { AddressInfo, Server } from 'node:net';
import { gzipSync } from 'node:zlib';
import type { WebPage } from '@doska/core/kernel/testing';
import type { SelfSigned } from '@doska/test-setup/self-signed';

const answer = (page: WebPage | undefined, request: IncomingMessage, response: ServerResponse): void => {
  const {
    status = 200,
    headers = {},
    body = new Uint8Array(),
    gzip = false,
    cutAfter,
  } = page ?? { status: 404 };
  const isKnown = headers['etag'] !== undefined && request.headers['if-none-match'] === headers['etag'];
  if (isKnown) return void response.writeHead(304).end();
  const sent = gzip ? gzipSync(body) : body;
  const encoding = gzip ? { 'content-encoding': 'gzip' } : {};
  response.writeHead(status, { ...headers, ...encoding, 'content-length': sent.length });
  if (cutAfter === undefined) return void response.end(sent);
  response.write(sent.subarray(0, cutAfter), () => response.destroy());
};

export const pages =
  (all: Readonly<Record<string, WebPage>>): RequestListener =>
  (request, response) =>
    answer(all[request.url ?? ''], request, response);

export type WebServer = {
  readonly port: number;
  /** Connections so far: a guard that works leaves no trace here. */
  readonly connections: () => number;
  /** Resolves when the newest connection is closed by the other side. */
  readonly closed: () => Promise<unknown>;
  readonly close: () => Promise<void>;
};

/** A server on loopback, of HTTP or of whatever `server` speaks. */
export const startServer = async (server: Server): Promise<WebServer> => {
  const ended: Promise<unknown>[] = [];
  const sockets = new Set<{ destroy(): void }>();
  server.on('connection', (socket) => {
    socket.on('error', () => {});
    sockets.add(socket);
    ended.push(new Promise((resolve) => socket.once('close', resolve)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    port: (server.address() as AddressInfo).port,
    connections: () => ended.length,
    closed: async () => ended.at(-1),
    close: async () => {
      server.close();
      for (const socket of sockets) socket.destroy();
    },
  };
};
export const startWeb = (listener: RequestListener): Promise<WebServer> =>
  startServer(createServer(listener));
export const startTlsWeb = ({ key, cert }: SelfSigned, listener: RequestListener): Promise<WebServer> =>
  startServer(createTlsServer({ key, cert }, listener));
