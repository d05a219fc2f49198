import { ok } from 'neverthrow';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { makePeriodicJobs, makeShardLeases, silentTelemetry, type JobSpec } from '@doska/core/kernel';
import { eventually, realClock, realIds, realRandom } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { createPool, pgGenericStorage, pgLeaseStore } from './index.ts';

let database: FreshDatabase;
beforeAll(async () => {
  database = await freshDatabase();
});
afterAll(() => database.drop());

/** For the database a separate process; `kill` cuts its connections, and it opens no new ones. */
const member = (spec: JobSpec) => {
  const pool = createPool({ url: database.url, max: 2, applicationName: 'doska-test-member' });
  let open = true;
  const kill = async (): Promise<void> => {
    if (open) await pool.end();
    open = false;
  };
  const times = { leaseMs: 1_000, beatMs: 100, drainMs: 500 };
  const jobs = makePeriodicJobs({
    leases: makeShardLeases({ store: pgLeaseStore(pool), clock: realClock, ids: realIds, times }),
    storage: pgGenericStorage(pool),
    clock: realClock,
    random: realRandom,
    logger: silentTelemetry.logger,
  });
  const holding = jobs.start(spec);
  onTestFinished(async () => {
    await holding.stop();
    await kill();
  });
  return { jobs, holding, kill };
};

/** Counts how many runs are active at the same time. */
const watched = (name: string) => {
  const runs: { readonly member: number; readonly token: number }[] = [];
  const state = { inside: 0, together: 0 };
  const specOf = (index: number): JobSpec => ({
    name,
    everyMs: 60,
    run: async ({ token }) => {
      state.together = Math.max(state.together, ++state.inside);
      await new Promise((resolve) => setTimeout(resolve, 15));
      runs.push({ member: index, token });
      state.inside--;
      return ok(`run ${runs.length}`);
    },
  });
  return { runs, state, specOf };
};

test('[B12] only one of two members runs the job at a time, and both can read its result and next run', async () => {
  const { runs, state, specOf } = watched('shared');
  const a = member(specOf(0));
  const b = member(specOf(1));
  await eventually(() => expect(runs.length).toBeGreaterThan(8));
  expect(state.together).toBe(1);
  const tokens = runs.map((one) => one.token);
  expect(tokens).toEqual([...tokens].sort((x, y) => x - y));
  for (const { jobs } of [a, b]) {
    const status = (await jobs.status())._unsafeUnwrap().find(({ name }) => name === 'shared');
    expect(status).toMatchObject({ lastOutcome: 'ok' });
    expect(status!.nextRunAtMs).toBeGreaterThan(status!.lastFinishedAtMs!);
  }
});
/** The member that ran the job last. No handover is coming: the member with the smaller name owns the job. */
const settled = async ({ runs }: ReturnType<typeof watched>) => {
  await eventually(() => {
    expect(runs.length).toBeGreaterThan(5);
    expect(new Set(runs.slice(-4).map(({ token }) => token)).size).toBe(1);
  });
  return runs.at(-1)!;
};
test('[B12] a killed member is replaced, under a higher token', async () => {
  const job = watched('orphaned');
  const members = [member(job.specOf(0)), member(job.specOf(1))];
  const victim = await settled(job);
  await members[victim.member]!.kill();
  const next = await eventually(() => {
    const heir = job.runs.find((one) => one.member !== victim.member && one.token > victim.token);
    return heir ?? expect.unreachable('no member took over');
  });
  expect(next.token).toBeGreaterThan(victim.token);
});
test('[B12] a member that stops hands the job over at once', async () => {
  const job = watched('handed over');
  const members = [member(job.specOf(0)), member(job.specOf(1))];
  const first = await settled(job);
  await members[first.member]!.holding.stop();
  await eventually(() => expect(job.runs.at(-1)).toMatchObject({ member: 1 - first.member }));
});
