import { describe, expect, test } from 'vitest';
import { silentTelemetry } from '@doska/core/kernel';
import { manualClock, seededRandom } from '@doska/core/kernel/testing';
import type { Part } from './part.ts';
import { Supervisor, type PartStatus } from './supervisor.ts';

const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => signal.addEventListener('abort', () => resolve()));
const world = () => {
  const time = manualClock();
  const fatal: PartStatus[] = [];
  const restart = { firstMs: 100, factor: 2, maxMs: 1_000, jitter: 0, attemptsMax: 4 };
  const supervisor = new Supervisor({
    clock: time.clock,
    random: seededRandom(1),
    logger: silentTelemetry.logger,
    restart,
    quietMs: 10_000,
    onFatal: (part) => fatal.push(part),
  });
  return { time, fatal, supervisor };
};
const part = (name: string, run: Part['run']): Part => ({ app: 'test', name, run });

describe('supervisor', () => {
  test('[B14] parts start one after another and stop in reverse order', async () => {
    const { supervisor } = world();
    const story: string[] = [];
    const noted = (name: string): Part =>
      part(name, async (signal, ready) => {
        story.push(`${name} starts`);
        await Promise.resolve();
        story.push(`${name} is ready`);
        ready();
        await untilAborted(signal);
        story.push(`${name} stops`);
      });
    await supervisor.start([noted('a'), noted('b')]);
    expect(await supervisor.stop(1_000)).toEqual([]);
    expect(story).toEqual(['a starts', 'a is ready', 'b starts', 'b is ready', 'b stops', 'a stops']);
    expect(supervisor.status().map(({ state }) => state)).toEqual(['stopped', 'stopped']);
  });
  test('[B14] a part that dies is restarted with growing pauses, and its last error can be read', async () => {
    const { supervisor, time } = world();
    let lives = 0;
    await supervisor.start([
      part('weak', async (signal, ready) => {
        if (++lives <= 2) throw new Error(`death ${lives}`);
        ready();
        await untilAborted(signal);
      }),
    ]);
    expect(supervisor.status()[0]).toMatchObject({ state: 'restarting', lastError: 'death 1' });
    await time.advance(99);
    expect(lives).toBe(1);
    await time.advance(1);
    expect(lives).toBe(2);
    await time.advance(200);
    expect(supervisor.status()[0]).toMatchObject({ state: 'running', restarts: 2, lastError: 'death 2' });
    await supervisor.stop(1_000);
  });
  test('[B14] a part that ends without an error is restarted too', async () => {
    const { supervisor } = world();
    await supervisor.start([part('quitter', async (_signal, ready) => ready())]);
    await Promise.resolve();
    expect(supervisor.status()[0]).toMatchObject({ state: 'restarting', lastError: 'it ended by itself' });
    await supervisor.stop(1_000);
  });
  test('[B14] a part that keeps failing is reported once as fatal', async () => {
    const { supervisor, time, fatal } = world();
    await supervisor.start([part('hopeless', () => Promise.reject(new Error('no')))]);
    await time.advance(100_000);
    expect(fatal).toHaveLength(1);
    expect(fatal[0]).toMatchObject({ name: 'hopeless', lastError: 'no', state: 'failed' });
    expect(supervisor.status()[0]).toMatchObject({ state: 'failed' });
  });
  test('[B14] failures before a long quiet period do not count', async () => {
    const { supervisor, time, fatal } = world();
    await supervisor.start([
      part('sometimes', async (_signal, ready) => {
        ready();
        await new Promise<void>((resolve) => time.clock.after(20_000, resolve));
        throw new Error('again');
      }),
    ]);
    for (let i = 0; i < 20; i++) await time.advance(21_000);
    expect(fatal).toEqual([]);
    const stopping = supervisor.stop(50);
    await time.advance(50);
    expect(await stopping).toEqual(['sometimes']);
  });
  test('[B14] a part that does not finish in time is named', async () => {
    const { supervisor, time } = world();
    await supervisor.start([
      part('stuck', async (_signal, ready) => {
        ready();
        await new Promise(() => {});
      }),
      part('quick', async (signal, ready) => {
        ready();
        await untilAborted(signal);
      }),
    ]);
    const stopping = supervisor.stop(500);
    await time.advance(500);
    expect(await stopping).toEqual(['stuck']);
  });
});
