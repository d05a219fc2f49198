import { err, errAsync, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { unavailable } from '../errors.ts';
import { makeShardLeases } from '../leases/shard-leases.ts';
import type { GenericStorage } from '../ports/generic-storage.port.ts';
import { silentTelemetry } from '../ports/telemetry.port.ts';
import { countingIds } from '../testing/counting-ids.ts';
import { inMemoryGenericStorage } from '../testing/in-memory-generic-storage.ts';
import { inMemoryLeaseStore } from '../testing/in-memory-lease-store.ts';
import { direct, type Io } from '../testing/io.ts';
import { manualClock } from '../testing/manual-clock.ts';
import { memoryDatabase } from '../testing/memory-database.ts';
import { seededRandom } from '../testing/seeded-random.ts';
import { makePeriodicJobs, type JobSpec } from './periodic-jobs.ts';

const HOUR = 3_600_000;

/** One database, and members on it that can die. */
const world = (storageOf: (right: GenericStorage) => GenericStorage = (right) => right) => {
  const time = manualClock(1_000_000);
  const db = memoryDatabase({ nowMs: time.nowMs });
  const ids = countingIds('member');
  const member = () => {
    let dead = false;
    const io: Io = (op, work) => (dead ? errAsync(unavailable('crashed')) : direct(op, work));
    const jobs = makePeriodicJobs({
      leases: makeShardLeases({ store: inMemoryLeaseStore(db, io), clock: time.clock, ids }),
      storage: storageOf(inMemoryGenericStorage(db, io)),
      clock: time.clock,
      random: seededRandom(7),
      logger: silentTelemetry.logger,
    });
    return { jobs, crash: () => void (dead = true) };
  };
  return { ...time, member };
};
const counting = (more: Partial<JobSpec> = {}) => {
  const starts: number[] = [];
  const tokens: number[] = [];
  const spec: JobSpec = {
    name: 'count',
    everyMs: HOUR,
    jitter: 0,
    run: ({ token }) => {
      tokens.push(token);
      starts.push(tokens.length);
      return Promise.resolve(ok(`run ${tokens.length}`));
    },
    ...more,
  };
  return { spec, starts, tokens };
};

describe('a periodic job', () => {
  test('[B12] runs at once when it has never run, then once a period; last result and next run can be read', async () => {
    const { member, advance, nowMs } = world();
    const { jobs } = member();
    const { spec, starts } = counting();
    const holding = jobs.start(spec);
    await advance(10);
    expect(starts).toHaveLength(1);
    const [status] = (await jobs.status())._unsafeUnwrap();
    expect(status).toMatchObject({ name: 'count', lastOutcome: 'ok', lastWords: 'run 1' });
    expect(status!.nextRunAtMs).toBe(status!.lastFinishedAtMs! + HOUR);
    await advance(3 * HOUR + 60_000);
    expect(starts).toHaveLength(4);
    expect((await jobs.status())._unsafeUnwrap()[0]!.nextRunAtMs).toBeGreaterThan(nowMs());
    await holding.stop();
  });
  test('[B12] jitter delays a run by its share of the period at most, and not always by the same', async () => {
    const { member, advance, nowMs } = world();
    const { jobs } = member();
    const atMs: number[] = [];
    const { spec } = counting({
      jitter: 0.5,
      run: () => {
        atMs.push(nowMs());
        return Promise.resolve(ok(''));
      },
    });
    const holding = jobs.start(spec);
    await advance(20 * HOUR);
    const gaps = atMs.slice(1).map((at, i) => at - atMs[i]!);
    expect(Math.min(...gaps)).toBeGreaterThanOrEqual(HOUR);
    expect(Math.max(...gaps)).toBeLessThanOrEqual(1.5 * HOUR);
    expect(new Set(gaps).size).toBeGreaterThan(5);
    await holding.stop();
  });
  test('[B12] a job that fails or throws records its error and runs again', async () => {
    const { member, advance } = world();
    const { jobs } = member();
    let runs = 0;
    const { spec } = counting({
      run: () => {
        runs++;
        if (runs === 1) throw new Error('a bug');
        return Promise.resolve(runs === 2 ? err({ kind: 'JobFailed', reason: 'no disk' }) : ok('fine'));
      },
    });
    const holding = jobs.start(spec);
    const last = async () => (await jobs.status())._unsafeUnwrap()[0];
    await advance(10);
    expect(await last()).toMatchObject({ lastOutcome: 'failed', lastWords: 'a bug' });
    await advance(HOUR + 10);
    expect(await last()).toMatchObject({ lastOutcome: 'failed', lastWords: 'no disk' });
    await advance(HOUR + 10);
    expect(await last()).toMatchObject({ lastOutcome: 'ok', lastWords: 'fine' });
    await holding.stop();
  });
  test('[B12] one of two members runs the job; when it dies, the other continues under a higher token', async () => {
    const { member, advance } = world();
    const a = member();
    const b = member();
    const { spec, tokens } = counting({ everyMs: 10_000 });
    const one = a.jobs.start(spec);
    const other = b.jobs.start(spec);
    await advance(21_000);
    expect(tokens).toEqual([1, 1, 1]);
    const owner = one.held().length > 0 ? a : b;
    owner.crash();
    await advance(40_000);
    expect(tokens.slice(3).every((token) => token > 1)).toBe(true);
    expect(tokens.length).toBeGreaterThanOrEqual(5);
    await Promise.all([one.stop({ drainMs: 0 }), other.stop({ drainMs: 0 }), advance(10_000)]);
  });
  test('[B12] a run that was interrupted by a crash is repeated', async () => {
    const { member, advance } = world();
    const a = member();
    const b = member();
    let begun = 0;
    const { spec } = counting({
      run: () => (++begun === 1 ? new Promise(() => {}) : Promise.resolve(ok('again'))),
    });
    const holding = a.jobs.start(spec);
    await advance(10);
    a.crash();
    const next = b.jobs.start(spec);
    await advance(30_000);
    expect(begun).toBe(2);
    expect((await b.jobs.status())._unsafeUnwrap()[0]).toMatchObject({ lastWords: 'again' });
    await Promise.all([holding.stop({ drainMs: 0 }), next.stop(), advance(30_000)]);
  });
  test('[B12] after a clock ran ahead, the job waits at most two periods', async () => {
    const { member, advance, nowMs } = world((right) => ({
      ...right,
      get: (space, keys) =>
        right.get(space, keys).map((values) =>
          values.map((one) => {
            const status = JSON.parse(new TextDecoder().decode(one.value)) as { nextRunAtMs: number };
            const ahead = { ...status, nextRunAtMs: nowMs() + 1_000 * HOUR };
            return { ...one, value: new TextEncoder().encode(JSON.stringify(ahead)) };
          }),
        ),
    }));
    const { jobs } = member();
    const { spec, starts } = counting();
    const holding = jobs.start(spec);
    await advance(10);
    await advance(4 * HOUR + 60_000);
    expect(starts).toHaveLength(3);
    await holding.stop();
  });
  test('[B12] a result that cannot be stored does not remove the pause between runs', async () => {
    const { member, advance } = world((right) => ({ ...right, put: () => errAsync(unavailable('full')) }));
    const { jobs } = member();
    const { spec, starts } = counting();
    const holding = jobs.start(spec);
    await advance(HOUR / 2);
    expect(starts).toHaveLength(1);
    await advance(HOUR);
    expect(starts).toHaveLength(2);
    await holding.stop();
  });
  test('[B12] a result text of any length is accepted and cut', async () => {
    const { member, advance } = world();
    const { jobs } = member();
    const { spec } = counting({ run: () => Promise.resolve(ok('x'.repeat(1_000_000))) });
    const holding = jobs.start(spec);
    await advance(10);
    expect((await jobs.status())._unsafeUnwrap()[0]!.lastWords).toHaveLength(2_000);
    await holding.stop();
  });
});
