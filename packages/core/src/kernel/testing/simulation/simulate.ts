import { holdConsole } from './held-console.ts';
import { inFull } from './process.ts';
import { Run } from './run.ts';
import type { Laws, Outcome, Plan, Scenario } from './scenario.ts';
import { setTraps } from './traps.ts';

export type SimulateOptions = {
  /** Tells the run line by line in `Outcome.trace`. */
  readonly trace?: boolean;
  /** Puts arguments and answers into the hash. */
  readonly deep?: boolean;
};

// Saved before they are replaced by fakes.
const { nextTick } = process;
const { setImmediate } = globalThis;
const settled = Promise.resolve();
let busy = false;

/** During a run every unhandled rejection belongs to this run and is not reported elsewhere. */
const ownRejections = (listener: (reason: unknown) => void): (() => void) => {
  const others = process.listeners('unhandledRejection');
  process.removeAllListeners('unhandledRejection');
  process.on('unhandledRejection', listener);
  return () => {
    process.off('unhandledRejection', listener);
    for (const other of others) process.on('unhandledRejection', other);
  };
};

/**
 * Runs one world from start to end without ever returning to the event loop: no real timer, socket or file
 * can interfere, and a process that awaits one is reported as stuck. The same scenario and plan give the same outcome.
 */
export const simulate = (scenario: Scenario, plan: Plan, options: SimulateOptions = {}): Promise<Outcome> => {
  if (busy) throw new Error('one world at a time in a thread: await the first simulate()');
  const trace = options.trace ?? false;
  const run = new Run(scenario, plan, { trace, deep: options.deep ?? trace });
  busy = true;
  return new Promise((resolve) => {
    const disown = ownRejections((reason) => run.fail(`floating rejection: ${String(reason)}`));
    const guarded = <T>(work: () => T): T | undefined => {
      try {
        return work();
      } catch (thrown) {
        run.fail(`threw ${inFull(thrown)}`);
        return undefined;
      }
    };
    const releaseConsole = holdConsole();
    // Up last, and from here on only guarded code runs until they are down again.
    const takeTrapsDown = setTraps(run.fail);
    const finish = (): void => {
      takeTrapsDown();
      releaseConsole();
      // Node tells of unhandled rejections when the tick queue is empty, which is after the run.
      setImmediate(() => {
        disown();
        busy = false;
        resolve(run.outcome());
      });
    };
    const laws = guarded((): Laws => {
      const built = scenario.build({
        nowMs: () => run.timeline.nowMs,
        below: run.below,
        process: (name, main, processOptions) => run.addProcess(name, main, processOptions),
      });
      run.start();
      return built;
    });
    const turn = (): void => {
      guarded(() => {
        if (run.over || !laws) return;
        run.advance(laws.done);
        if (run.over) return;
        const broken = laws.law();
        if (broken !== undefined) run.fail(broken);
      });
      if (run.over) finish();
      else void settled.then(rearm);
    };
    // A tick queued by a microtask runs when the microtask queue is empty: the exact moment of quiescence.
    const rearm = (): void => nextTick(turn);
    void settled.then(rearm);
  });
};
