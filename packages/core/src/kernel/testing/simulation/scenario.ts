import type { Env } from '../io.ts';
import type { MakeStrategy } from './strategies.ts';

/**
 * refused: not applied, says so. unknown: applied, the answer is lost. late: applied, answered after a delay.
 * crashBefore, crashAfter: the process dies around the request and starts again. pause: the process freezes.
 * zombie: fails now, is applied later. cut: process and server don't reach each other for a while.
 * twice: applied and answered, and applied again later (only requests marked `resendable`).
 */
export const FAULTS = [
  'refused',
  'unknown',
  'late',
  'crashBefore',
  'crashAfter',
  'pause',
  'zombie',
  'cut',
  'twice',
] as const;
export type Fault = (typeof FAULTS)[number];

/** Resolving means the process leaves for good: its timers are gone, its requests on the wire still arrive. */
export type Main = (env: Env) => Promise<void>;

export type ProcessOptions = {
  /** How far the clock of this process is off. */
  readonly skewMs?: number;
  /** Faults of this process never kill it. */
  readonly immortal?: boolean;
};

export type World = {
  /** Starts `main` at once and again after every crash; durable state lives in the servers outside of it. */
  readonly process: (name: string, main: Main, options?: ProcessOptions) => void;
  /** The time of the servers. Processes have their own clock, which may be skewed. */
  readonly nowMs: () => number;
  /** Sizes of the workload come from here, smallest first: a shrunk run has a small workload too. */
  readonly below: (n: number) => number;
};

export type Laws = {
  /** Asked after every step: a sentence of what broke, or undefined. Reads servers only. */
  readonly law: () => string | undefined;
  /** Asked once faults are over and nothing is in flight: must come true, or the run fails as not live. */
  readonly done: () => boolean;
};

export type Scenario = {
  /** Builds fresh servers and processes; called once for every run. */
  readonly build: (world: World) => Laws;
  /** None by default. */
  readonly faults?: readonly Fault[];
  /** Steps with faults and wild order (300); then faults stop, order is fair, and `done` must come true. */
  readonly wildSteps?: number;
  /** Fair steps after which a world that is not done counts as not live (3,000). */
  readonly calmSteps?: number;
};

/** A seed draws every choice; a tape says every choice, and what it leaves out is calm. */
export type Plan =
  { readonly seed: number; readonly strategy: MakeStrategy } | { readonly tape: readonly number[] };

export type Outcome = {
  readonly failure: string | undefined;
  readonly steps: number;
  /** Equal hashes, equal runs: over every step, and over arguments and answers too when the run was `deep`. */
  readonly hash: number;
  readonly tape: readonly number[];
  /** How many options each choice on the tape had. */
  readonly arity: readonly number[];
  readonly trace: readonly string[];
};
