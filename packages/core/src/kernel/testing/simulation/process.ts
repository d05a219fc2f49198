import { err, ResultAsync, type Result } from 'neverthrow';
import { unavailable, type Unavailable } from '../../errors.ts';
import type { Clock } from '../../ports/clock.port.ts';
import type { Env, Io, Op } from '../io.ts';
import { inWords } from './journal.ts';
import type { Main } from './scenario.ts';
import type { Runnable } from './strategies.ts';
import type { Timeline } from './timeline.ts';

/** A process of the world over all its lives. */
export type Proc = {
  readonly id: number;
  readonly name: string;
  readonly main: Main;
  readonly skewMs: number;
  readonly immortal: boolean;
  life: number;
  running: boolean;
  frozenUntilMs: number;
  /** Server name -> until when it can't be reached from here. */
  readonly cuts: Map<string, number>;
};

/** A request on its way. One without a sender is a message still on the wire after its sender gave up or died. */
export type Request = Runnable & {
  readonly proc: Proc | undefined;
  readonly op: Op;
  /** Runs the work on the server half; returns the answer in words if the run is deep. */
  readonly apply: () => string;
  readonly deliver: () => void;
  readonly fail: (what: string) => void;
};

/** What a starting process needs of its world. */
export type Surroundings = {
  readonly deep: boolean;
  readonly timeline: Timeline<Proc>;
  readonly send: (request: Omit<Request, 'seq'>) => void;
  readonly below: (n: number) => number;
  readonly nextId: () => number;
  readonly fail: (what: string) => void;
  readonly isOver: () => boolean;
};

export const inFull = (thrown: unknown): string =>
  thrown instanceof Error ? (thrown.stack ?? thrown.message) : String(thrown);

const answerInWords = (answer: Result<unknown, unknown>): string =>
  answer.isOk() ? `ok ${inWords(answer.value)}` : `err ${inWords(answer.error)}`;

const serverOf = ({ name }: Op): string => name.slice(0, name.indexOf('.'));

/** One life of a process. When it ends, its promises never settle: nothing of it runs on, not even a `finally`. */
export const startLife = (proc: Proc, world: Surroundings): void => {
  const { timeline } = world;
  const life = ++proc.life;
  proc.running = true;
  proc.frozenUntilMs = 0;
  proc.cuts.clear();
  const alive = (): boolean => proc.running && proc.life === life;
  const mustLive = (what: string): void => {
    if (!alive() && !world.isOver()) world.fail(`leak: dead ${proc.name}#${life} still ${what}`);
  };

  const io: Io = <T, E>(op: Op, work: () => Result<T, E>) =>
    new ResultAsync<T, E | Unavailable>(
      new Promise((resolve) => {
        mustLive(`called ${op.name}`);
        let answer: Result<T, E>;
        world.send({
          process: proc.id,
          server: serverOf(op),
          proc,
          op,
          apply: () => {
            answer = work();
            return world.deep ? answerInWords(answer) : '';
          },
          deliver: () => {
            if (alive()) resolve(answer);
          },
          fail: (what) => {
            if (alive()) resolve(err(unavailable(`${op.name}: ${what}`)));
          },
        });
      }),
    );

  const clock: Clock = {
    nowMs: () => timeline.nowMs + proc.skewMs,
    after: (ms, work) => {
      mustLive('set a timer');
      if (!Number.isFinite(ms)) throw new RangeError(`a timer needs a finite time, not ${ms}`);
      const timer = timeline.add(Math.max(0, ms), proc, 'wakes', work);
      return () => timeline.remove(timer);
    },
  };

  const env: Env = {
    io,
    clock,
    random: { below: world.below },
    ids: { next: () => `${proc.name}.${life}.${world.nextId()}` },
  };
  const leave = (): void => {
    if (!alive()) return;
    proc.running = false;
    timeline.removeOf(proc);
  };
  proc.main(env).then(leave, (thrown: unknown) => world.fail(`${proc.name} threw ${inFull(thrown)}`));
};
