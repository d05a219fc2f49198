import { ok } from 'neverthrow';
import { expect, test } from 'vitest';
import { sleep } from '../../ports/clock.port.ts';
import { alone, lawless, tick, witnessed } from './examples/small-worlds.ts';
import type { Fault, Main, Scenario } from './scenario.ts';
import { simulate } from './simulate.ts';
import { PORTFOLIO, randomWalk } from './strategies.ts';

test('[B5] a killed process never continues, runs no `finally`, and starts anew after a restart', async () => {
  const log: string[] = [];
  let lives = 0;
  const main: Main = async (env) => {
    const life = ++lives;
    try {
      log.push(`${life} start`);
      env.clock.after(1_000, () => log.push(`${life} timer`));
      await tick(env);
      log.push(`${life} after`);
      await sleep(env.clock, 5_000);
    } finally {
      log.push(`${life} finally`);
    }
  };
  const { failure } = await simulate(witnessed(main, ['crashAfter']), { tape: [0, 1] });
  expect(failure).toBeUndefined();
  expect(log).toEqual(['1 start', '2 start', '2 after', '2 timer', '2 finally']);
});

test('[B5] a paused process gets neither answers nor timers', async () => {
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

test('[B5] a crash before its own restart does not end the run', async () => {
  let lives = 0;
  const main: Main = async (env) => {
    lives++;
    await tick(env);
  };
  await simulate(alone(main, ['crashBefore']), { tape: [1, 3] });
  expect(lives).toBe(2);
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
])('[B5] the fault does what its name says: %s', async (fault, expected) => {
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
        return lawless;
      };
      await simulate({ faults: ['crashBefore'], build }, { seed, strategy: randomWalk });
    }
    return lives;
  };
  expect(await livesOf(true)).toBe(100);
  expect(await livesOf(false)).toBeGreaterThan(100);
});

test('[B5] a paused owner continues after another member got its lease', async () => {
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
