import type { EmbeddedOptions, EmbeddedPostgres, EmbeddedProblem } from '@doska/adapters-pg/embedded';
import { silentTelemetry } from '@doska/core/kernel';
import { eventually, realClock, realRandom } from '@doska/core/kernel/testing';
import { err, ok, type Result } from 'neverthrow';
import { expect, onTestFinished, test } from 'vitest';
import { openEmbedded } from './embedded.ts';
import { Lifecycle } from './lifecycle.ts';
import { Supervisor, type PartStatus } from './supervisor.ts';

const { logger } = silentTelemetry;

/** Servers that a test kills; `answers` are the results of the starts, the last one repeats. */
const servers = (...answers: readonly ((port: number) => Result<number, EmbeddedProblem>)[]) => {
  const alive = new Set<number>();
  const stopped: number[] = [];
  const started: number[] = [];
  const start = async ({
    choosePort,
  }: EmbeddedOptions): Promise<Result<EmbeddedPostgres, EmbeddedProblem>> => {
    const answer = answers[Math.min(started.length, answers.length - 1)]!;
    const wanted = (await choosePort?.()) ?? 5_000;
    const id = started.push(wanted);
    return answer(wanted).map((port) => {
      alive.add(id);
      return {
        url: `postgresql://127.0.0.1:${port}/doska`,
        port,
        dataDir: '/data',
        owned: true,
        isRunning: () => alive.has(id),
        stop: async () => void stopped.push(id),
      };
    });
  };
  return { start, started, stopped, kill: () => alive.clear() };
};
const supervised = async (start: ReturnType<typeof servers>['start'], attemptsMax = 3) => {
  const lifecycle = new Lifecycle();
  const opened = await openEmbedded({ dataDir: '/data', lifecycle, logger, clock: realClock, start });
  const fatal: PartStatus[] = [];
  const supervisor = new Supervisor({
    clock: realClock,
    random: realRandom,
    logger,
    restart: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax },
    onFatal: (part) => fatal.push(part),
  });
  await supervisor.start([opened._unsafeUnwrap().keeper]);
  onTestFinished(async () => void (await supervisor.stop(1_000)));
  return { lifecycle, supervisor, fatal };
};
const failed: Result<number, EmbeddedProblem> = err({ kind: 'ServerFailed', message: 'it failed' });

test('[X10] a server that was killed is started again on the same port, and the last one is stopped', async () => {
  const { start, started, stopped, kill } = servers(ok);
  const { lifecycle, supervisor, fatal } = await supervised(start);
  kill();
  await eventually(() => expect(started).toEqual([5_000, 5_000]));
  await eventually(() => expect(supervisor.status()[0]).toMatchObject({ state: 'running', restarts: 1 }));
  expect(fatal).toEqual([]);
  await lifecycle.close(logger);
  expect(stopped).toEqual([2]);
});
test('[X10] a server that can not be started again ends the process after a few attempts', async () => {
  const { start, started, kill } = servers(ok, () => failed);
  const { fatal } = await supervised(start);
  kill();
  await eventually(() =>
    expect(fatal).toMatchObject([{ name: 'embedded-postgres', lastError: 'it failed' }]),
  );
  expect(started).toHaveLength(3);
});
test('[X10] a server on another port is no replacement, because the pools know the old port', async () => {
  const { start, stopped, kill } = servers(ok, (port) => ok(port + 1));
  const { fatal } = await supervised(start);
  kill();
  await eventually(() => expect(fatal).toHaveLength(1));
  expect(fatal[0]!.lastError).toContain('another port');
  expect(stopped).toEqual([2, 3]);
});
