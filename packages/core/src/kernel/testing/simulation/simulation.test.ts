import { ok, ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { sleep } from '../../ports/clock.port.ts';
import type { Env } from '../io.ts';
import { alone, calmRun, failureOf, lawless, tick, witnessed } from './examples/small-worlds.ts';
import type { Main, Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { randomWalk } from './strategies.ts';

test('[B5] an exception in a process, a law or the setup fails the run', async () => {
  const boom = (): never => {
    throw new Error('boom');
  };
  const thrower: Main = async (env) => {
    await tick(env);
    boom();
  };
  expect(await failureOf(thrower)).toMatch(/^p threw Error: boom/);
  expect((await simulate({ build: boom }, { tape: [] })).failure).toMatch(/^threw Error: boom/);
  const badLaw: Scenario = {
    build: (world) => {
      world.process('p', async (env) => void (await tick(env)));
      return { law: boom, done: () => true };
    },
  };
  expect((await simulate(badLaw, { tape: [] })).failure).toMatch(/^threw Error: boom/);
});

test('[B5] 200 chained awaits between two requests are still one step', async () => {
  const seen: string[] = [];
  const walk =
    (name: string): Main =>
    async (env) => {
      for (let i = 0; i < 3; i++) {
        await tick(env);
        for (let hop = 0; hop < 200; hop++) await Promise.resolve();
        seen.push(name);
      }
    };
  const scenario: Scenario = {
    build: (world) => {
      world.process('a', walk('a'));
      world.process('b', walk('b'));
      return lawless;
    },
  };
  const { steps } = await simulate(scenario, { tape: [1, 1, 1, 1, 1, 1] });
  expect([seen.join(''), steps]).toEqual(['bababa', 6]);
});

test('[B5] a timer can be cancelled and ends with the process that set it', async () => {
  const fired: string[] = [];
  const main: Main = async ({ clock }) => {
    const cancel = clock.after(10, () => fired.push('cancelled'));
    clock.after(20, () => fired.push(`at ${clock.nowMs()}`));
    cancel();
    cancel();
    await sleep(clock, 30);
    clock.after(5, () => fired.push('after the end'));
  };
  const { failure } = await simulate(witnessed(main), { tape: [] });
  expect(failure).toBeUndefined();
  expect(fired).toEqual(['at 20']);
});

test('[B5] a process that left gets no answers, but its requests still arrive', async () => {
  const seen: string[] = [];
  const { failure } = await calmRun(async (env) => {
    void env.io({ name: 'db.put' }, () => ok(seen.push('applied'))).then(() => seen.push('heard'));
  });
  expect([failure, seen]).toEqual([undefined, ['applied']]);
});

test('[B5] work that outlives its process and sends requests is reported as a leak', async () => {
  const failure = await failureOf(async (env) => {
    void Promise.resolve().then(() => Promise.resolve().then(() => Promise.resolve().then(() => tick(env))));
  });
  expect(failure).toBe('leak: dead p#1 still called db.tick');
});

test('[B5] time moves only with steps and timers, and a clock may be skewed', async () => {
  const seen: number[] = [];
  const scenario: Scenario = {
    build: (world) => {
      const main: Main = async ({ clock }) => {
        seen.push(clock.nowMs());
        await sleep(clock, 86_400_000);
        seen.push(clock.nowMs(), world.nowMs());
      };
      world.process('p', main, { skewMs: -500 });
      return lawless;
    },
  };
  await simulate(scenario, { tape: [] });
  expect(seen).toEqual([-500, 86_399_500, 86_400_000]);
});

test('[B5] an aborted signal wakes its sleeper, with any number of listeners', async () => {
  let woken = 0;
  const { failure, steps } = await calmRun(async (env) => {
    const stop = new AbortController();
    const any = AbortSignal.any([stop.signal, new AbortController().signal]);
    const sleepers = Array.from({ length: 50 }, () => sleep(env.clock, 60_000, any).then(() => woken++));
    await tick(env);
    stop.abort();
    await Promise.all(sleepers);
    expect(env.clock.nowMs()).toBe(1);
  });
  expect([failure, woken, steps]).toEqual([undefined, 50, 1]);
});

test('[B5] requests of one lane keep their order, other requests come in any order', async () => {
  const ordersOf = async (op: { readonly lane?: string }): Promise<Set<string>> => {
    const orders = new Set<string>();
    for (let seed = 1; seed <= 60; seed++) {
      const got: number[] = [];
      const put = (env: Env, n: number) => env.io({ name: 'log.put', ...op }, () => ok(got.push(n)));
      const main: Main = async (env) => void (await ResultAsync.combine([1, 2, 3].map((n) => put(env, n))));
      await simulate(alone(main), { seed, strategy: randomWalk });
      orders.add(got.join(''));
    }
    return orders;
  };
  expect(await ordersOf({ lane: 'k' })).toEqual(new Set(['123']));
  expect((await ordersOf({})).size).toBe(6);
});

test('[B5] a process that never ends violates liveness; one that polls and then ends does not', async () => {
  const polling = (done: boolean): Scenario => ({
    wildSteps: 10,
    calmSteps: 100,
    build: (world) => {
      for (const name of ['a', 'b']) {
        world.process(name, async (env) => {
          for (;;) await tick(env);
        });
      }
      return { law: () => undefined, done: () => done };
    },
  });
  expect((await simulate(polling(false), { tape: [] })).failure).toMatch(
    /^liveness: not done 100 fair steps/,
  );
  expect((await simulate(polling(true), { tape: [] })).failure).toBeUndefined();
  const left: Scenario = {
    build: (world) => {
      world.process('p', async () => {});
      return { law: () => undefined, done: () => false };
    },
  };
  expect((await simulate(left, { tape: [] })).failure).toBe('liveness: everyone left, work remains');
});

test('[B5] a shrunk run breaks the same law as the original', async () => {
  const twoLaws: Scenario = {
    build: (world) => {
      let ticks = 0;
      const size = world.below(4);
      world.process('p', async (env) => {
        for (; ticks < size; ticks++) await tick(env);
      });
      const law = (): string | undefined =>
        size === 1 ? 'small: 1' : size > 1 && ticks >= 1 ? `big: ${size}` : undefined;
      return { law, done: () => true };
    },
  };
  const big = await simulate(twoLaws, { tape: [3] });
  expect(big.failure).toBe('big: 3');
  const { tape } = await shrink(twoLaws, big);
  expect([tape, (await simulate(twoLaws, { tape })).failure]).toEqual([[3], 'big: 3']);
});

test('[B5] two worlds at once are refused', async () => {
  const first = calmRun(async (env) => void (await tick(env)));
  expect(() =>
    simulate(
      alone(async () => {}),
      { tape: [] },
    ),
  ).toThrow(/one world at a time/);
  expect((await first).failure).toBeUndefined();
});
