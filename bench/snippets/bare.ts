import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import express from 'express';
import { contentOf } from './hosts.ts';

const answer = `{"plain":${contentOf('k')}}`;
const HEADERS = { 'content-type': 'application/json; charset=utf-8' };

/** Servers that answer the same bytes and do nothing else. */
export const bareServers = async () => {
  const app = express();
  app.get('/:name/:key', (_request, response) => void response.type('json').send(answer));
  app.put('/:name/:key', express.raw({ type: () => true }), (request, response) => {
    response.json({ bytes: (request.body as Buffer).length });
  });
  const bare = app.listen(0, '127.0.0.1');
  const plain = createServer((_request, response) => {
    response.writeHead(200, { ...HEADERS, 'content-length': Buffer.byteLength(answer) }).end(answer);
  }).listen(0, '127.0.0.1');
  await Promise.all([bare, plain].map((one) => new Promise((resolve) => one.once('listening', resolve))));
  const urlOf = (one: typeof plain): string => `http://127.0.0.1:${(one.address() as AddressInfo).port}`;
  return {
    express: urlOf(bare),
    http: urlOf(plain),
    close: (): void => {
      bare.close();
      plain.close();
    },
  };
};
