import { err, ok, type Result } from 'neverthrow';
import { expect, test } from 'vitest';
import { makeShardLeases } from '../leases/shard-leases.ts';
import { silentTelemetry } from '../ports/telemetry.port.ts';
import { inMemoryGenericStorage } from '../testing/in-memory-generic-storage.ts';
import { inMemoryLeaseStore } from '../testing/in-memory-lease-store.ts';
import type { Env } from '../testing/io.ts';
import { memoryDatabase } from '../testing/memory-database.ts';
import { hunt } from '../testing/simulation/hunt.ts';
import { FAULTS, type Scenario } from '../testing/simulation/scenario.ts';
import { simulationTest } from '../testing/simulation/simulation-test.ts';
import { PORTFOLIO } from '../testing/simulation/strategies.ts';
import { makePeriodicJobs, type JobFailed } from './periodic-jobs.ts';

/** A run has two effects, begin and end, on a store that knows tokens. */
type Store = {
  highest: number;
  readonly effects: { readonly token: number; readonly run: string }[];
  ended: number;
};

/** Once a member under a higher token has begun, nothing of an earlier one is accepted. */
const tornRun = ({ effects }: Store): string | undefined => {
  const before = effects.at(-2);
  const last = effects.at(-1);
  return before && last && before.token > last.token
    ? `two at once: token ${last.token} after ${before.token}`
    : undefined;
};

const jobScenario = (mode: 'plain' | 'constrained', { fences = true } = {}): Scenario => ({
  faults: FAULTS,
  wildSteps: 200,
  calmSteps: 5_000,
  build: (world) => {
    const db = memoryDatabase({ nowMs: world.nowMs, mode });
    const store: Store = { highest: 0, effects: [], ended: 0 };
    let endedBefore: number | undefined;
    const effect = ({ io }: Env, token: number, run: string, end: boolean) =>
      io({ name: 'effects.write', args: { token, run, end } }, (): Result<void, JobFailed> => {
        if (fences && token < store.highest) return err({ kind: 'JobFailed', reason: 'fenced' });
        store.highest = token;
        store.effects.push({ token, run });
        if (end) store.ended++;
        return ok(undefined);
      });
    const member = async (env: Env): Promise<void> => {
      const times = { leaseMs: 900, beatMs: 300, drainMs: 300 };
      const jobs = makePeriodicJobs({
        ...env,
        logger: silentTelemetry.logger,
        storage: inMemoryGenericStorage(db, env.io),
        leases: makeShardLeases({ ...env, store: inMemoryLeaseStore(db, env.io), times }),
      });
      const holding = jobs.start({
        name: 'job',
        everyMs: 1_000,
        run: async ({ token }) => {
          const run = env.ids.next();
          const begun = await effect(env, token, run, false);
          const done = begun.isOk() ? await effect(env, token, run, true) : begun;
          return done.isOk() ? ok('done') : err({ kind: 'JobFailed', reason: done.error.kind });
        },
      });
      await holding.ended;
    };
    world.process('a', member);
    world.process('b', member, { skewMs: 2_000 });
    return {
      law: () => tornRun(store),
      // Asked only when faults are over: from then on one more run must come to its end.
      done: () => store.ended > (endedBefore ??= store.ended),
    };
  },
});

simulationTest(
  '[B12] a job runs under one accepted token at a time and continues after any fault',
  jobScenario('plain'),
);
simulationTest(
  '[B12] a job on a constrained database runs under one accepted token at a time and continues after any fault',
  jobScenario('constrained'),
);

test('[B12] seeds find a job whose store does not fence', async () => {
  const { found } = await hunt(jobScenario('plain', { fences: false }), PORTFOLIO, { count: 1_000 });
  expect(found?.outcome.failure).toMatch(/^two at once/);
});
