import { request as httpRequest, type ClientRequest } from 'node:http';
import { connect } from 'node:net';
import { eventually } from '@doska/core/kernel/testing';
import { ok } from 'neverthrow';
import { afterEach, expect, onTestFinished, test } from 'vitest';
import type { HttpRoute } from './route.ts';
import { operators, served, type Served } from './testing/served.ts';

let open: Served | undefined;
const serve = async (...args: Parameters<typeof served>): Promise<Served> => (open = await served(...args));
afterEach(async () => {
  await open?.server.stop(500);
  open = undefined;
});

/** Counts the bytes of its body. */
const upload = (more: Partial<HttpRoute> = {}): HttpRoute => ({
  method: 'PUT',
  path: '/upload',
  access: operators,
  body: 'stream',
  handle: async ({ stream }) => {
    let bytes = 0;
    for await (const piece of stream as AsyncIterable<Buffer>) bytes += piece.length;
    return ok({ status: 200, json: { bytes } });
  },
  ...more,
});

type Sent = { readonly request: ClientRequest; readonly answer: Promise<{ status: number; json: unknown }> };
/** An upload whose body the test sends piece by piece. */
const begin = ({ server }: Served, headers: Record<string, string | number> = {}): Sent => {
  const request = httpRequest({
    host: '127.0.0.1',
    port: server.port,
    method: 'PUT',
    path: '/upload',
    headers: { authorization: 'Bearer operator', ...headers },
  });
  onTestFinished(() => void request.destroy());
  const answer = new Promise<{ status: number; json: unknown }>((resolve, reject) => {
    request.once('error', reject);
    request.once('response', (response) => {
      let text = '';
      response.on('data', (piece: Buffer) => (text += piece.toString()));
      response.once('end', () =>
        resolve({ status: response.statusCode ?? 0, json: JSON.parse(text) as unknown }),
      );
    });
  });
  return { request, answer };
};

test.each([
  [1_000, 200, { bytes: 1_000 }],
  [1_001, 413, { kind: 'BodyTooLarge' }],
])('[H5] of a bound of 1000 bytes, a streamed body of %i is answered %i', async (size, status, json) => {
  const host = await serve([upload({ bytesMax: 1_000 })]);
  // Without its length, and with it.
  const streamed = begin(host);
  streamed.request.write(Buffer.alloc(600));
  streamed.request.end(Buffer.alloc(size - 600));
  expect(await streamed.answer).toMatchObject({ status, json });
  const announced = begin(host, { 'content-length': size });
  announced.request.end(Buffer.alloc(size));
  expect(await announced.answer).toMatchObject({ status, json });
});
test('[H5] a body that is too large by its own account is refused before it is sent', async () => {
  const { answer, request } = begin(await serve([upload({ bytesMax: 1_000 })]), { 'content-length': 1_001 });
  request.flushHeaders();
  expect(await answer).toMatchObject({ status: 413 });
});
test('[H5] a body beyond the bound is refused even if the handler makes light of it', async () => {
  const route = upload({
    bytesMax: 10,
    handle: async ({ stream }) => {
      await new Promise((resolve) => stream.once('error', resolve).resume());
      return ok({ status: 200, json: 'fine' });
    },
  });
  const { answer, request } = begin(await serve([route]));
  request.end(Buffer.alloc(100));
  expect(await answer).toMatchObject({ status: 413, json: { kind: 'BodyTooLarge' } });
});

test('[H5] a route with a time of its own outlives the time of a call', async () => {
  const limits = { callMsMax: 150 };
  const slowly = async (path: string): Promise<number> => {
    const { answer, request } = begin(open!);
    request.path = path;
    request.write('a');
    setTimeout(() => request.end('b'), 400);
    return (await answer).status;
  };
  await serve([upload(), upload({ path: '/long', msMax: 60_000 }), upload({ path: '/short', msMax: 50 })], {
    limits,
  });
  expect(await slowly('/upload')).toBe(504);
  expect(await slowly('/short')).toBe(504);
  expect(await slowly('/long')).toBe(200);
});
test('[H5] a streamed body that stops coming is refused, one that comes slowly is not', async () => {
  const host = await serve([upload({ msMax: 60_000, idleMs: 300 })]);
  const stuck = begin(host);
  stuck.request.write('a');
  expect(await stuck.answer).toMatchObject({ status: 408, json: { kind: 'BodyIdle' } });
  const slow = begin(host);
  for (let i = 0; i < 8; i++) {
    slow.request.write('a');
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  slow.request.end();
  expect(await slow.answer).toEqual({ status: 200, json: { bytes: 8 } });
});

test('[H5] a client that does not read a long answer loses its connection, and the reading stops', async () => {
  let pieces = 0;
  let closed = false;
  async function* endless(): AsyncGenerator<Uint8Array> {
    try {
      for (; ; pieces++) yield Buffer.alloc(64 * 1024);
    } finally {
      closed = true;
    }
  }
  const route: HttpRoute = {
    method: 'GET',
    path: '/endless',
    access: operators,
    idleMs: 300,
    handle: async () => ok({ status: 200, contentType: 'application/octet-stream', content: endless() }),
  };
  const { server } = await serve([route]);
  const socket = connect(server.port, '127.0.0.1').pause();
  onTestFinished(() => void socket.destroy());
  socket.on('error', () => {});
  socket.write('GET /endless HTTP/1.1\r\nhost: a\r\nauthorization: Bearer operator\r\n\r\n');
  await eventually(() => expect(closed).toBe(true));
  expect(pieces).toBeLessThan(2_000);
});
test('[H5] texts of hand-written routes are packed for clients that take gzip, pictures are not', async () => {
  const reply = (path: string, contentType: string): HttpRoute => ({
    method: 'GET',
    path,
    access: operators,
    handle: async () => ok({ status: 200, contentType, content: 'a'.repeat(5_000) }),
  });
  const { ask } = await serve([reply('/text', 'text/plain'), reply('/picture', 'image/png')]);
  const encoding = async (path: string) => (await ask('GET', path)).headers.get('content-encoding');
  expect(await encoding('/text')).toBe('gzip');
  expect(await encoding('/picture')).toBe(null);
});
