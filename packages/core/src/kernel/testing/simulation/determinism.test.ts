import { ok } from 'neverthrow';
import { randomUUID } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { setTimeout as realSleep } from 'node:timers/promises';
import { expect, test, vi } from 'vitest';
import { alone, failureOf, tick } from './examples/small-worlds.ts';
import { hunt } from './hunt.ts';
import type { Main, Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import { randomWalk } from './strategies.ts';

const stolenNow = performance.now.bind(performance);
const swallowed = (work: () => unknown): void => {
  try {
    work();
  } catch {
    // Hidden from the caller, not from the run.
  }
};
test.each<[string, () => unknown]>([
  ['Math.random', () => Math.random()],
  ['Date.now', () => Date.now()],
  ['new Date()', () => new Date()],
  ['Date()', () => Date()],
  ['crypto.randomUUID', () => crypto.randomUUID()],
  ['crypto.getRandomValues', () => crypto.getRandomValues(new Uint8Array(1))],
  ['performance.now', () => performance.now()],
  ['process.hrtime', () => process.hrtime()],
  ['process.hrtime.bigint', () => process.hrtime.bigint()],
  ['process.nextTick', () => process.nextTick(() => {})],
  ['setTimeout', () => new Promise((resolve) => setTimeout(resolve, 1))],
  ['setInterval', () => setInterval(() => {}, 1)],
  ['setImmediate', () => setImmediate(() => {})],
  ['fetch', () => fetch('http://localhost')],
  ['AbortSignal.timeout', () => AbortSignal.timeout(1)],
  ['a swallowed one', () => swallowed(() => Math.random())],
])('[B5] %s inside a world fails the run', async (_name, leak) => {
  const main: Main = async (env) => {
    await tick(env);
    await leak();
    await tick(env);
  };
  expect(await failureOf(main)).toMatch(/nondeterminism: .* used inside the simulation/);
});

test('[B5] new Date(ms) is arithmetic and allowed', async () => {
  const main: Main = async (env) => {
    await tick(env);
    expect(new Date(env.clock.nowMs()).toISOString()).toBe('1970-01-01T00:00:00.001Z');
    expect(new Date(0)).toBeInstanceOf(Date);
  };
  expect(await failureOf(main)).toBeUndefined();
});

test('[B5] a line printed inside a world is shown after the run', async () => {
  const said: unknown[][] = [];
  const spy = vi.spyOn(console, 'log').mockImplementation((...args) => void said.push(args));
  const main: Main = async (env) => {
    console.log('inside', 1);
    await tick(env);
    expect(said).toEqual([]);
  };
  expect(await failureOf(main)).toBeUndefined();
  expect(said).toEqual([['inside', 1]]);
  spy.mockRestore();
});

test('[B5] real time and randomness are restored after every run', async () => {
  const before = [
    Date,
    Date.now,
    Math.random,
    setTimeout,
    process.nextTick,
    process.hrtime,
    AbortSignal.timeout,
  ];
  const boom = (): never => {
    throw new Error('boom');
  };
  const endings: Scenario[] = [
    { build: boom },
    alone(boom),
    alone(async () => void Math.random()),
    alone(() => new Promise(() => {})),
    alone(async (env) => void (await tick(env))),
  ];
  for (const scenario of endings) await simulate(scenario, { tape: [] });
  expect([
    Date,
    Date.now,
    Math.random,
    setTimeout,
    process.nextTick,
    process.hrtime,
    AbortSignal.timeout,
  ]).toEqual(before);
  expect(Date.now()).toBeGreaterThan(1e12);
  expect(process.hrtime.bigint()).toBeGreaterThan(0n);
  await new Promise((resolve) => setTimeout(resolve, 1));
});

test.each<[string, () => Promise<unknown>]>([
  ['a file', () => readFile(import.meta.filename)],
  ['node:timers/promises', () => realSleep(1)],
  ['a promise that never settles', () => new Promise(() => {})],
])('[B5] a process that waits for %s is reported as stuck with its name', async (_name, wait) => {
  const main: Main = async (env) => {
    await tick(env);
    await wait();
    await tick(env);
  };
  expect(await failureOf(main)).toMatch(/^stuck: p wait/);
});

test('[B5] an unhandled rejection fails its own seed and no other run', async () => {
  const main: Main = async (env) => {
    void Promise.reject(new Error('forgotten'));
    await tick(env);
  };
  const listeners = process.listeners('unhandledRejection');
  expect(await failureOf(main)).toBe('floating rejection: Error: forgotten');
  expect(process.listeners('unhandledRejection')).toEqual(listeners);
});

let outlives = 0;
test.each<[string, () => unknown]>([
  ['node:crypto by a named import', () => randomUUID()],
  ['state that outlives a run', () => ++outlives],
  ['a clock taken before the traps', () => stolenNow()],
])('[B5] a second run of the same seed detects %s', async (_name, leak) => {
  const main: Main = async (env) => void (await env.io({ name: 'db.put', args: leak() }, () => ok(1)));
  const { found } = await hunt(alone(main), [randomWalk], { count: 50, twiceEvery: 1 });
  expect(found?.outcome.failure).toMatch(/^nondeterminism: seed \d+ gave trace/);
});
