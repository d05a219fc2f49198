import { ok, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../../errors.ts';
import { sleep } from '../../../ports/clock.port.ts';
import type { Env } from '../../io.ts';
import type { Fault, Laws, Main, Outcome, Scenario } from '../scenario.ts';
import { simulate } from '../simulate.ts';

/** The smallest request there is. */
export const tick = (env: Env): ResultAsync<number, Unavailable> => env.io({ name: 'db.tick' }, () => ok(1));

export const lawless: Laws = { law: () => undefined, done: () => true };

/** A world of one process, `p`. */
export const alone = (main: Main, faults: readonly Fault[] = []): Scenario => ({
  faults,
  wildSteps: 50,
  calmSteps: 50,
  build: (world) => {
    world.process('p', main);
    return lawless;
  },
});

/** Another process keeps the world going long after `p` has left. */
export const witnessed = (main: Main, faults: readonly Fault[] = []): Scenario => ({
  ...alone(main, faults),
  build: (world) => {
    world.process('p', main);
    world.process('witness', ({ clock }) => sleep(clock, 100_000));
    return lawless;
  },
});

export const calmRun = (main: Main): Promise<Outcome> => simulate(alone(main), { tape: [] });
export const failureOf = async (main: Main): Promise<string | undefined> => (await calmRun(main)).failure;
