import { Agent, request as httpRequest } from 'node:http';
import { createServer, type AddressInfo } from 'node:net';
import { setTimeout as pause } from 'node:timers/promises';
import { err, ok } from 'neverthrow';
import { afterEach, expect, test } from 'vitest';
import { notReady } from './health-routes.ts';
import { keptRequest, route, served, start, type Served } from './testing/served.ts';

let open: Served | undefined;
const serve = async (...args: Parameters<typeof served>): Promise<Served> => (open = await served(...args));
afterEach(async () => {
  await open?.server.stop(500);
  open = undefined;
});
const stranger = { headers: { authorization: '' } };
const slow = (ms: number) =>
  route({
    method: 'GET',
    path: '/slow',
    handle: async () => (await pause(ms), ok({ status: 200, json: {} })),
  });

test('[B16] health needs no token; readiness fails while a check fails and names the check', async () => {
  let database = false;
  const { ask, server } = await serve([], {
    readiness: {
      database: async () => (database ? ok(undefined) : err('secret reason')),
      log: () => (database ? Promise.resolve(ok(undefined)) : new Promise(() => undefined)),
      search: async () => ok(undefined),
      broken: async () => {
        if (!database) throw new Error('secret reason');
        return ok(undefined);
      },
    },
    limits: { checkMsMax: 50 },
  });
  expect(await ask('GET', '/healthz', stranger)).toMatchObject({ status: 200, json: { status: 'alive' } });
  const unready = await ask('GET', '/readyz', stranger);
  expect(unready).toMatchObject({
    status: 503,
    json: { kind: 'NotReady', failed: ['database', 'log', 'broken'] },
  });
  expect(unready.text).not.toContain('secret');
  expect(unready.json).toMatchObject({ reasons: { log: 'no answer within 50 ms' } });
  database = true;
  expect(await ask('GET', '/readyz', stranger)).toMatchObject({ status: 200, json: { status: 'ready' } });
  server.setReady(false);
  expect(await ask('GET', '/readyz', stranger)).toMatchObject({
    status: 503,
    json: { failed: ['stopping'] },
  });
});

test('[X19] readiness tells the reason that a check gives', async () => {
  const { ask } = await serve([], {
    readiness: { catalogue: async () => err(notReady('no catalogue is loaded')), other: async () => ok(1) },
  });
  expect(await ask('GET', '/readyz', stranger)).toMatchObject({
    status: 503,
    json: { failed: ['catalogue'], reasons: { catalogue: 'no catalogue is loaded' } },
  });
});
test('[B17] metrics are for operators unless they are opened', async () => {
  const metrics = { text: async () => 'doska_x 1\n', contentType: 'text/plain; version=0.0.4' };
  const { ask } = await serve([], { metrics });
  expect((await ask('GET', '/metrics', stranger)).status).toBe(401);
  expect(await ask('GET', '/metrics')).toMatchObject({ status: 200, text: 'doska_x 1\n' });
  const opened = await served([], { metrics: { ...metrics, access: { public: { ratePerMinute: 60 } } } });
  expect((await opened.ask('GET', '/metrics', stranger)).status).toBe(200);
  await opened.server.stop(500);
});

test('[B16] a request has a time limit, and its handler gets an abort signal', async () => {
  let aborted = false;
  const { ask } = await serve(
    [
      route({
        method: 'GET',
        path: '/never',
        handle: ({ signal }) => {
          signal.addEventListener('abort', () => (aborted = true));
          return new Promise(() => undefined);
        },
      }),
    ],
    { limits: { callMsMax: 100 } },
  );
  expect(await ask('GET', '/never')).toMatchObject({ status: 504, json: { kind: 'DeadlineExceeded' } });
  expect(aborted).toBe(true);
});

test('[B16] a client that leaves aborts its request', async () => {
  let aborted = false;
  const { server, lines } = await serve([
    route({
      method: 'GET',
      path: '/never',
      handle: ({ signal }) => {
        signal.addEventListener('abort', () => (aborted = true));
        return new Promise(() => undefined);
      },
    }),
  ]);
  const leaving = httpRequest({
    host: '127.0.0.1',
    port: server.port,
    path: '/never',
    headers: { authorization: 'Bearer operator' },
  });
  leaving.on('error', () => undefined).end();
  await pause(100);
  leaving.destroy();
  await expect.poll(() => aborted).toBe(true);
  await expect.poll(() => lines).toMatchObject([{ level: 'info', status: 499 }]);
});

test('[B16] requests beyond the bound are refused at once', async () => {
  const { ask } = await serve([slow(300)], { limits: { callsMax: 1 } });
  const first = ask('GET', '/slow');
  await pause(100);
  expect(await ask('GET', '/slow')).toMatchObject({ status: 429, json: { kind: 'Overloaded' } });
  expect((await first).status).toBe(200);
  expect((await ask('GET', '/slow')).status).toBe(200);
});

test('[B16] stopping lets running requests end, closes kept connections, and takes no new ones', async () => {
  const { server } = await serve([slow(400), route({ method: 'GET', path: '/fast' })]);
  const agent = new Agent({ keepAlive: true, maxSockets: 2 });
  expect(await keptRequest(server.port, '/fast', agent)).toBe(200);
  const running = keptRequest(server.port, '/slow', agent);
  await pause(100);
  const before = Date.now();
  const stopped = server.stop(10_000);
  expect(await running).toBe(200);
  await stopped;
  expect(Date.now() - before).toBeLessThan(3_000);
  await expect(keptRequest(server.port, '/fast', new Agent())).rejects.toThrow('ECONNREFUSED');
  agent.destroy();
});

test('[B16] a stop aborts running requests at its deadline', async () => {
  const { server } = await serve([slow(60_000)]);
  const running = keptRequest(server.port, '/slow', new Agent());
  const failed = expect(running).rejects.toThrow();
  await pause(100);
  const before = Date.now();
  await server.stop(200);
  expect(Date.now() - before).toBeLessThan(2_000);
  await failed;
});

test('[B16] a taken port is refused when it was chosen, and passed over when it was a default', async () => {
  const taken = createServer();
  await new Promise<void>((resolve) => void taken.listen(0, '127.0.0.1', resolve));
  const { port } = taken.address() as AddressInfo;
  const refused = await start([], { listen: { host: '127.0.0.1', port, whenBusy: 'refuse' } }).started;
  expect(refused).toEqual(err({ kind: 'PortBusy', host: '127.0.0.1', port }));
  const moved = (
    await start([], { listen: { host: '127.0.0.1', port, whenBusy: 'next' } }).started
  )._unsafeUnwrap();
  expect(moved.port).toBeGreaterThan(port);
  await moved.stop(100);
  taken.close();
});
