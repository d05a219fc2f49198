import { ok, ResultAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { sleep } from '../../ports/clock.port.ts';
import type { Env } from '../io.ts';
import type { Fault, Main, Outcome, Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { PORTFOLIO, randomWalk } from './strategies.ts';

const tick = (env: Env) => env.io({ name: 'db.tick' }, () => ok(1));
const always = { law: () => undefined, done: () => true };
const alone = (main: Main, faults: readonly Fault[] = []): Scenario => ({
  faults,
  wildSteps: 50,
  calmSteps: 50,
  build: (world) => {
    world.process('p', main);
    return always;
  },
});
/** Another process keeps the world going long after `p` has left. */
const witnessed = (main: Main, faults: readonly Fault[] = []): Scenario => ({
  ...alone(main, faults),
  build: (world) => {
    world.process('p', main);
    world.process('witness', ({ clock }) => sleep(clock, 100_000));
    return always;
  },
});
const calmRun = (main: Main): Promise<Outcome> => simulate(alone(main), { tape: [] });
const failureOf = async (main: Main): Promise<string | undefined> => (await calmRun(main)).failure;

test('[B5] a bug in a process, in a law or in the building of a world is a failure of the run', async () => {
  const boom = (): never => {
    throw new Error('boom');
  };
  const thrower: Main = async (env) => {
    await tick(env);
    boom();
  };
  expect(await failureOf(thrower)).toMatch(/^p threw Error: boom/);
  expect((await simulate({ build: boom }, { tape: [] })).failure).toMatch(/^threw Error: boom/);
  const lawless: Scenario = {
    build: (world) => {
      world.process('p', async (env) => void (await tick(env)));
      return { law: boom, done: () => true };
    },
  };
  expect((await simulate(lawless, { tape: [] })).failure).toMatch(/^threw Error: boom/);
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
      return always;
    },
  };
  const { steps } = await simulate(scenario, { tape: [1, 1, 1, 1, 1, 1] });
  expect([seen.join(''), steps]).toEqual(['bababa', 6]);
});

test('[B5] a killed process never continues, its finally does not run, its next life starts over', async () => {
  const log: string[] = [];
  let lives = 0;
  const main: Main = async (env) => {
    const life = ++lives;
    try {
      log.push(`${life} start`);
      env.clock.after(1_000, () => log.push(`${life} timer`));
      await tick(env);
      log.push(`${life} after`);
    } finally {
      log.push(`${life} finally`);
    }
  };
  const { failure } = await simulate(witnessed(main, ['crashAfter']), { tape: [0, 1] });
  expect(failure).toBeUndefined();
  expect(log).toEqual(['1 start', '2 start', '2 after', '2 finally']);
});

test('[B5] a timer is cancellable, and belongs to the life that set it', async () => {
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

test('[B5] a process that left hears no answers any more, but its requests still arrive', async () => {
  const seen: string[] = [];
  const { failure } = await calmRun(async (env) => {
    void env.io({ name: 'db.put' }, () => ok(seen.push('applied'))).then(() => seen.push('heard'));
  });
  expect([failure, seen]).toEqual([undefined, ['applied']]);
});

test('[B5] a paused process neither hears answers nor sees its timers', async () => {
  const seen: string[] = [];
  const main: Main = async (env) => {
    env.clock.after(50, () => seen.push(`timer at ${env.clock.nowMs()}`));
    await tick(env);
    seen.push(`answer at ${env.clock.nowMs()}`);
    await sleep(env.clock, 1_000);
  };
  const { failure } = await simulate(alone(main, ['pause']), { tape: [0, 1, 1] });
  expect(failure).toBeUndefined();
  expect(seen).toEqual(['timer at 301', 'answer at 303']);
});

test('[B5] what outlives its process and asks for more is a leak', async () => {
  const failure = await failureOf(async (env) => {
    void Promise.resolve().then(() => Promise.resolve().then(() => Promise.resolve().then(() => tick(env))));
  });
  expect(failure).toBe('leak: dead p#1 still called db.tick');
});

test('[B5] time stands still but for steps and timers, and a clock may be skewed', async () => {
  const seen: number[] = [];
  const scenario: Scenario = {
    build: (world) => {
      const main: Main = async ({ clock }) => {
        seen.push(clock.nowMs());
        await sleep(clock, 86_400_000);
        seen.push(clock.nowMs(), world.nowMs());
      };
      world.process('p', main, { skewMs: -500 });
      return always;
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

test('[B5] requests of one lane keep their order, others come in every order', async () => {
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

/** What one request can meet: how often it was applied, and what its sender heard. */
const meet = async (fault: Fault): Promise<Set<string>> => {
  const seen = new Set<string>();
  for (let seed = 1; seed <= 300; seed++) {
    let applied = 0;
    let heard = 'nothing';
    let lives = 0;
    const main: Main = async (env) => {
      if (++lives > 1) return;
      const answer = await env.io({ name: 'db.put', resendable: true }, () => ok(++applied));
      heard = answer.isOk() ? 'ok' : answer.error.what;
    };
    const { failure } = await simulate(alone(main, [fault]), { seed, strategy: randomWalk });
    expect(failure).toBeUndefined();
    seen.add(`${applied} ${heard}`);
  }
  seen.delete('1 ok');
  return seen;
};
test.each<[Fault, string[]]>([
  ['refused', ['0 db.put: refused']],
  ['unknown', ['1 db.put: no answer']],
  ['late', []],
  ['zombie', ['1 db.put: no answer']],
  ['twice', ['2 ok']],
  ['cut', ['0 db.put: refused']],
  ['pause', []],
  ['crashBefore', ['0 nothing']],
  ['crashAfter', ['1 nothing']],
])('[B5] a fault is what its name says: %s', async (fault, expected) => {
  expect(await meet(fault)).toEqual(new Set(expected));
});

test('[B5] an immortal process never crashes, a mortal one does', async () => {
  const livesOf = async (immortal: boolean): Promise<number> => {
    let lives = 0;
    for (let seed = 1; seed <= 100; seed++) {
      const build: Scenario['build'] = (world) => {
        const main: Main = async (env) => {
          lives++;
          await tick(env);
        };
        world.process('p', main, { immortal });
        return always;
      };
      await simulate({ faults: ['crashBefore'], build }, { seed, strategy: randomWalk });
    }
    return lives;
  };
  expect(await livesOf(true)).toBe(100);
  expect(await livesOf(false)).toBeGreaterThan(100);
});

test('[B5] a frozen owner wakes after its lease was given away', async () => {
  let refused = 0;
  const build: Scenario['build'] = (world) => {
    const lease = { owner: '', untilMs: 0 };
    let finished = 0;
    const main: Main = async ({ io, clock, ids }) => {
      const me = ids.next();
      const hold = (name: string) =>
        io({ name }, () => {
          const free = lease.owner === me || lease.untilMs <= world.nowMs();
          if (free) Object.assign(lease, { owner: me, untilMs: world.nowMs() + 1_000 });
          return ok(free);
        });
      while (!(await hold('lease.acquire')).unwrapOr(false)) await sleep(clock, 400);
      if (!(await hold('lease.renew')).unwrapOr(false)) refused++;
      finished++;
    };
    world.process('x', main);
    world.process('y', main);
    return { law: () => undefined, done: () => finished === 2 };
  };
  for (let seed = 1; seed <= 300; seed++) {
    const { failure } = await simulate(
      { faults: ['pause'], wildSteps: 60, build },
      { seed, strategy: PORTFOLIO[seed % 8]! },
    );
    expect(failure).toBeUndefined();
  }
  expect(refused).toBeGreaterThan(0);
});

test('[B5] whoever is never done is not live; who polls without rest but is done, is done', async () => {
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

test('[B5] a crash before its own restart does not end the run', async () => {
  let lives = 0;
  const main: Main = async (env) => {
    lives++;
    await tick(env);
  };
  await simulate(alone(main, ['crashBefore']), { tape: [1, 3] });
  expect(lives).toBe(2);
});

test('[B5] a shrunk run breaks the same law, not a cheaper one', async () => {
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
