import { connect } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import type { ScanOffersResponse } from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import type { DomainError } from '@doska/adapters-rpc';
import { err, ok, type Result } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { asJson, offers } from '../testing/offers.ts';
import { served, type Served } from '../testing/served.ts';

let open: Served | undefined;
const serve = async (...args: Parameters<typeof served>): Promise<Served> => (open = await served(...args));
afterEach(async () => {
  await open?.server.stop(500);
  open = undefined;
});

type Piece = Result<ScanOffersResponse, DomainError>;
const piece = (n: number, padding = ''): Piece => ok({ offers: [], cursor: `${n}${padding}` });
const scanning = (scanOffers: (signal: AbortSignal) => AsyncIterable<Piece>) =>
  asJson(
    offers({
      handlers: { scanOffers: (_request, { signal }) => scanOffers(signal) },
      errors: { Broken: 'ABORTED' },
    }),
  );
const scan = (server: Served['server'], signal?: AbortSignal) =>
  fetch(`http://127.0.0.1:${server.port}/v1/offers:scan`, {
    headers: { authorization: 'Bearer operator' },
    ...(signal ? { signal } : {}),
  });
const linesOf = (text: string): unknown[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as unknown);

test('[H4] a stream of answers is a line each', async () => {
  const { server } = await serve(
    [],
    scanning(async function* () {
      yield piece(1);
      yield piece(2);
    }),
  );
  const answer = await scan(server);
  expect(answer.headers.get('content-type')).toBe('application/x-ndjson');
  expect(linesOf(await answer.text())).toEqual([
    { offers: [], cursor: '1' },
    { offers: [], cursor: '2' },
  ]);
});

test('[H4] an error in the middle is the last line; before the first line it is a status', async () => {
  const { server } = await serve(
    [],
    scanning(async function* () {
      yield piece(1);
      yield err({ kind: 'Broken', message: 'the range has moved' } as DomainError);
    }),
  );
  const [first, last] = linesOf(await (await scan(server)).text());
  expect(first).toEqual({ offers: [], cursor: '1' });
  expect(last).toEqual({
    error: {
      type: 'urn:doska:problem:Broken',
      title: 'Conflict',
      status: 409,
      kind: 'Broken',
      detail: 'the range has moved',
      requestId: 'id-1',
    },
  });
  await server.stop(500);
  const early = await serve(
    [],
    scanning(async function* () {
      yield err({ kind: 'Broken' });
    }),
  );
  const refused = await scan(early.server);
  expect([refused.status, refused.headers.get('content-type')]).toEqual([409, 'application/problem+json']);
});

test('[H4] an empty stream is an empty answer', async () => {
  const { server } = await serve(
    [],
    scanning(async function* () {}),
  );
  const answer = await scan(server);
  expect([answer.status, await answer.text()]).toEqual([200, '']);
});

test('[H4] a client that leaves cancels the call', async () => {
  let aborted = false;
  let ended = false;
  const { server, lines } = await serve(
    [],
    scanning(async function* (signal) {
      signal.addEventListener('abort', () => (aborted = true));
      try {
        for (let n = 0; ; n++) {
          yield piece(n);
          await pause(5);
        }
      } finally {
        ended = true;
      }
    }),
  );
  const leave = new AbortController();
  const answer = await scan(server, leave.signal);
  await answer.body!.getReader().read();
  leave.abort();
  await expect.poll(() => [aborted, ended]).toEqual([true, true]);
  await expect.poll(() => lines[0]).toMatchObject({ code: 'CANCELLED' });
});

/** A client that sends a request and reads only when it is told to. */
const slowClient = (port: number) => {
  const socket = connect(port, '127.0.0.1');
  socket.write('GET /v1/offers:scan HTTP/1.1\r\nhost: x\r\nauthorization: Bearer operator\r\n\r\n');
  socket.pause();
  return socket;
};

test('[H4] a client that stops reading stops the scan, and it goes on when the client does', async () => {
  let made = 0;
  const { server } = await serve(
    [],
    scanning(async function* () {
      for (; made < 5_000; made++) yield piece(made, 'x'.repeat(20_000));
    }),
  );
  const socket = slowClient(server.port);
  await expect.poll(() => made).toBeGreaterThan(0);
  await pause(300);
  const standing = made;
  await pause(300);
  expect(made).toBe(standing);
  expect(standing).toBeLessThan(2_000);
  socket.resume();
  await expect.poll(() => made).toBeGreaterThan(standing);
  socket.destroy();
});

test('[H4] a stream whose client reads nothing ends, and its connection is closed', async () => {
  let ended = false;
  const { server } = await serve([], {
    ...scanning(async function* () {
      try {
        for (let n = 0; ; n++) yield piece(n, 'x'.repeat(20_000));
      } finally {
        ended = true;
      }
    }),
    limits: { streamIdleMs: 200 },
  });
  const socket = slowClient(server.port);
  const closed = new Promise((resolve) => socket.once('close', resolve));
  await expect.poll(() => ended, { timeout: 5_000 }).toBe(true);
  await pause(500);
  socket.resume();
  await closed;
});

const LINES = process.env['DOSKA_TEST_LONG'] ? 1_000_000 : 200_000;
test(`[H4] a scan of ${LINES} lines needs no more memory than a short one`, async () => {
  const { server } = await serve(
    [],
    scanning(async function* () {
      for (let n = 0; n < LINES; n++) yield piece(n, 'y'.repeat(100));
    }),
  );
  const answer = await scan(server);
  let lines = 0;
  let largest = 0;
  const before = process.memoryUsage().rss;
  for await (const bytes of answer.body!) {
    for (const byte of bytes as Uint8Array) if (byte === 10) lines++;
    largest = Math.max(largest, process.memoryUsage().rss - before);
  }
  expect(lines).toBe(LINES);
  expect(largest).toBeLessThan(150 * 2 ** 20);
});
