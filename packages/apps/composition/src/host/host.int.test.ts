import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { staticMount } from '@doska/adapters-http';
import { ContainerModule } from 'inversify';
import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import type { App } from '../app.ts';
import { loadConfig } from '../config/load.ts';
import { setting, wholeNumber } from '../config/setting.ts';
import { defineContext } from '../context.ts';
import { token, Tokens } from '../tokens.ts';
import { startHost } from './host.ts';
import { startProblem } from './problem.ts';

const ball = token<string>('toys.ball');
let database: FreshDatabase;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-host-'));
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

/** A context, and what happened to it. */
const toysContext = () => {
  const events: string[] = [];
  const wiring = defineContext({
    name: 'toys',
    title: 'Toys',
    settings: { boxes: setting('DOSKA_TOYS_BOXES', wholeNumber(1, 9).default(3), 'The number of boxes.') },
    module: ({ toys }) => {
      events.push('module');
      return new ContainerModule(({ bind }) => void bind(ball).toConstantValue(`in ${toys.boxes} boxes`));
    },
    prepare: async (container) => {
      events.push(`prepared ${container.get(ball)}`);
      return ok(undefined);
    },
  });
  return { wiring, events };
};
const { wiring: toys } = toysContext();
const configWith = (context = toys) =>
  loadConfig(
    {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
    },
    [context],
  )._unsafeUnwrap().config;
const runningPart = (app: string, name: string, started: string[]) => ({
  app,
  name,
  run: (signal: AbortSignal, ready: () => void) => {
    started.push(name);
    ready();
    return new Promise<void>((resolve) => signal.addEventListener('abort', () => resolve()));
  },
});

test('[B14] an app that asks for a token nothing binds stops the start before any part runs', async () => {
  const started: string[] = [];
  const apps: App[] = [
    { name: 'works', summary: '', contexts: [toys], parts: () => [runningPart('works', 'works', started)] },
    {
      name: 'forgetful',
      summary: '',
      http: (container) => [container.get(token<never>('games.dice'))],
    },
  ];
  const problem = (await startHost('host-test', apps, configWith()))._unsafeUnwrapErr();
  expect(problem.lines).toEqual([
    'forgetful: the token games.dice is not bound. Does the app list every context that it uses?',
  ]);
  expect(started).toEqual([]);
});
test('[B14] an app that does not list its context is refused when it runs alone', async () => {
  const app: App = {
    name: 'lonely',
    summary: '',
    prepare: async (container) => err(startProblem(container.get(ball))),
  };
  const problem = (await startHost('host-test', [app], configWith()))._unsafeUnwrapErr();
  expect(problem.lines.join()).toMatch(/^lonely: the token toys\.ball is not bound/);
});
test('[B14] a binding that two apps bring is refused', async () => {
  const binding = () => [new ContainerModule(({ bind }) => void bind(ball).toConstantValue('mine'))];
  const app: App = {
    name: 'greedy',
    summary: '',
    contexts: [toys],
    modules: binding,
    services: (container) => [container.get(ball) as never],
  };
  // The context asks for the token first: it is named as the owner.
  const problem = (await startHost('host-test', [app], configWith()))._unsafeUnwrapErr();
  expect(problem.lines).toEqual(['toys: the token toys.ball is bound more than once']);
});
test('[B14] a context that several apps list is loaded once and prepared once', async () => {
  const { wiring, events } = toysContext();
  const started: string[] = [];
  const apps = ['first', 'second'].map((name): App => ({
    name,
    summary: '',
    contexts: [wiring],
    parts: (container) => [runningPart(name, `${name} ${container.get(ball)}`, started)],
  }));
  const host = (await startHost('host-test', apps, configWith(wiring)))._unsafeUnwrap();
  expect(events).toEqual(['module', 'prepared in 3 boxes']);
  expect(started).toEqual(['first in 3 boxes', 'second in 3 boxes']);
  expect(
    host.container
      .get(Tokens.selfStatus)()
      .workers.map(({ name }) => name),
  ).toEqual(started);
  expect(await host.stop()).toEqual([]);
});
test('[H5] an app brings a hot route and a mount, and both are served', async () => {
  const everyone = { public: { ratePerMinute: 600 } } as const;
  writeFileSync(join(dataDir, 'page.html'), '<p>toys</p>');
  const app: App = {
    name: 'pages',
    summary: '',
    contexts: [toys],
    hot: (container) => [
      ({ url }, response) => {
        if (url === '/hot') response.end(container.get(ball));
        return url === '/hot';
      },
    ],
    mounts: () => [staticMount('/toys', dataDir, everyone)],
  };
  const host = (await startHost('host-test', [app], configWith()))._unsafeUnwrap();
  const text = async (path: string) => (await fetch(`${host.run.httpUrl}${path}`)).text();
  expect(await text('/hot')).toBe('in 3 boxes');
  expect(await text('/toys/page.html')).toBe('<p>toys</p>');
  expect(await host.stop()).toEqual([]);
});
