import { err, ok, okAsync, type Result } from 'neverthrow';
import { expect, test } from 'vitest';
import type { LeaseStore } from '../ports/lease-store.port.ts';
import { FAULTS, hunt, PORTFOLIO, type Env, type Scenario } from '../testing.ts';
import { inMemoryLeaseStore } from '../testing/in-memory-lease-store.ts';
import { memoryDatabase } from '../testing/memory-database.ts';
import { simulationTest } from '../testing/simulation/simulation-test.ts';
import { sleep } from '../ports/clock.port.ts';
import type { Holding, Lease, LeaseTimes } from './lease.ts';
import { makeShardLeases } from './shard-leases.ts';

/** Short against the simulation's delays, so that leases expire in most runs. */
const TIMES: LeaseTimes = { leaseMs: 700, beatMs: 200, drainMs: 400 };
const SHARDS = 3;

/** A store with a fence per shard: it writes down who was accepted, in order. */
type Resource = { readonly accepted: { readonly token: number; readonly owner: string }[]; highest: number };
type Fenced = { readonly kind: 'Fenced' };

const write = (resource: Resource, { io }: Env, owner: string, { shard, token }: Lease) =>
  io({ name: 'resource.write', args: { shard, token } }, (): Result<void, Fenced> => {
    if (token < resource.highest) return err({ kind: 'Fenced' });
    resource.highest = token;
    resource.accepted.push({ token, owner });
    return ok(undefined);
  });

/** One token was written by two owners, or a lower one after a higher. */
const brokenFence = ({ accepted }: Resource): string | undefined => {
  const last = accepted.at(-1);
  if (!last) return undefined;
  const other = accepted.find(({ token, owner }) => token === last.token && owner !== last.owner);
  if (other) return `token twice: ${last.token} of ${other.owner} and ${last.owner}`;
  const lower = accepted.at(-2);
  return lower && lower.token > last.token ? `fence: ${last.token} after ${lower.token}` : undefined;
};

type Options = {
  readonly mode: 'plain' | 'constrained';
  /** Members that stop gracefully after a while, and come back as a new member. */
  readonly restless?: boolean;
  /** A planted bug. */
  readonly storeOf?: (right: LeaseStore) => LeaseStore;
};
const leasesScenario = ({ mode, restless = false, storeOf = (right) => right }: Options): Scenario => ({
  faults: FAULTS,
  wildSteps: 250,
  calmSteps: 4_000,
  build: (world) => {
    const db = memoryDatabase({ nowMs: world.nowMs, mode });
    const resources = Array.from({ length: SHARDS }, (): Resource => ({ accepted: [], highest: 0 }));
    const holdings = new Map<string, Holding>();
    const member = (name: string) => async (env: Env) => {
      const store = storeOf(inMemoryLeaseStore(db, env.io));
      const leases = makeShardLeases({ ...env, store, times: TIMES });
      for (;;) {
        const owner = env.ids.next();
        const holding = leases.hold({
          set: 's',
          shards: SHARDS,
          work: async (lease, signal) => {
            while (!signal.aborted) {
              await write(resources[lease.shard]!, env, owner, lease);
              await sleep(env.clock, 300, signal);
            }
          },
        });
        holdings.set(name, holding);
        if (!restless) return void (await holding.ended);
        await sleep(env.clock, 700 + env.random.below(2) * 400);
        await holding.stop();
      }
    };
    world.process('a', member('a'));
    world.process('b', member('b'), { skewMs: 5_000 });
    const held = (): number[] => [...holdings.values()].map((holding) => holding.held().length).sort();
    return {
      law: () => resources.map(brokenFence).find((broken) => broken !== undefined),
      done: () => restless || JSON.stringify(held()) === '[1,2]',
    };
  },
});

for (const mode of ['plain', 'constrained'] as const) {
  simulationTest(
    `[B9] leases, ${mode}: no token has two owners, and in the end every shard is held and shares are even`,
    leasesScenario({ mode }),
  );
  simulationTest(
    `[B9] leases, ${mode}: members that stop and return keep the fence`,
    leasesScenario({ mode, restless: true }),
  );
}

const planted: readonly {
  readonly bug: string;
  readonly law: RegExp;
  readonly storeOf: (right: LeaseStore) => LeaseStore;
}[] = [
  {
    bug: 'a take that gives to everybody who asks',
    law: /^token twice/,
    storeOf: (right) => ({
      ...right,
      take: (take) =>
        right.take(take).map(() => take.wanted.map(({ shard, token }) => ({ shard, token: token + 1 }))),
    }),
  },
  {
    bug: 'a release that does nothing',
    law: /^liveness/,
    storeOf: (right) => ({ ...right, release: () => okAsync(undefined) }),
  },
];
test.each(planted)('[B9] seeds find $bug', async ({ storeOf, law }) => {
  const { found } = await hunt(leasesScenario({ mode: 'plain', storeOf }), PORTFOLIO, { count: 200 });
  expect(found?.outcome.failure).toMatch(law);
});
