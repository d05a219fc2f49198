import { inWords, makeJournal, type Journal } from './journal.ts';
import { startLife, type Proc, type Request, type Surroundings } from './process.ts';
import type { Fault, Outcome, Plan, ProcessOptions, Main, Scenario } from './scenario.ts';
import { fifo } from './strategies.ts';
import { seededRandom } from '../seeded-random.ts';
import { makeTape, type Tape } from './tape.ts';
import { Timeline, type Timer } from './timeline.ts';
import { Wire } from './wire.ts';

const WILD_STEPS = 300;
const CALM_STEPS = 3_000;
/** From a hiccup to longer than any lease. */
const DELAYS_MS = [20, 300, 4_000, 40_000] as const;
const APPLIED: ReadonlySet<Fault | undefined> = new Set([
  undefined,
  'unknown',
  'late',
  'crashAfter',
  'twice',
]);
const FAILED: ReadonlyMap<Fault | undefined, string> = new Map<Fault, string>([
  ['refused', 'refused'],
  ['cut', 'refused'],
  ['unknown', 'no answer'],
  ['zombie', 'no answer'],
]);
const isCrash = (fault: Fault | undefined): boolean => fault === 'crashBefore' || fault === 'crashAfter';

/** The state of one run, moved on by `step`. Knows nothing of how steps are spread over real time. */
export class Run {
  failure: string | undefined;
  over = false;
  steps = 0;
  readonly timeline = new Timeline<Proc>();
  readonly procs: Proc[] = [];
  readonly #wire = new Wire();
  readonly #faults: readonly Fault[];
  readonly #tape: Tape;
  readonly #journal: Journal;
  readonly #wildSteps: number;
  readonly #calmSteps: number;
  readonly #fair = fifo(seededRandom(0));
  readonly #surroundings: Surroundings;
  #ids = 0;
  /** Who ran last. */
  #last = -1;

  constructor(scenario: Scenario, plan: Plan, options: { readonly trace: boolean; readonly deep: boolean }) {
    this.#faults = scenario.faults ?? [];
    this.#wildSteps = scenario.wildSteps ?? WILD_STEPS;
    this.#calmSteps = scenario.calmSteps ?? CALM_STEPS;
    this.#tape = makeTape(plan, this.#faults);
    this.#journal = makeJournal(options);
    this.#surroundings = {
      deep: options.deep,
      timeline: this.timeline,
      send: (request) => this.#wire.send(request),
      below: this.below,
      nextId: () => ++this.#ids,
      fail: this.fail,
      isOver: () => this.over,
    };
  }

  readonly below = (n: number): number => this.#tape.choose(n, ({ random }) => random.below(n));

  /** The first failure stands. */
  readonly fail = (what: string): void => {
    this.failure ??= what;
    this.over = true;
  };

  addProcess(name: string, main: Main, { skewMs = 0, immortal = false }: ProcessOptions = {}): void {
    const id = this.procs.length;
    this.procs.push({
      id,
      name,
      main,
      skewMs,
      immortal,
      life: 0,
      running: false,
      frozenUntilMs: 0,
      cuts: new Map(),
    });
  }

  start(): void {
    for (const proc of this.procs) startLife(proc, this.#surroundings);
  }

  outcome(): Outcome {
    const { failure, steps } = this;
    const { values: tape, arity } = this.#tape;
    return { failure, steps, hash: this.#journal.hash(), tape, arity, trace: this.#journal.trace };
  }

  /** Ends the run, or makes one step of it. */
  advance(done: () => boolean): void {
    const everyoneLeft = this.procs.every(({ running }) => !running);
    // Nothing in flight: no request, no restart, no message still on the wire.
    const quiet = this.#wire.isEmpty && this.timeline.firstOfWorld() === undefined;
    if (quiet && (this.#isCalm() || everyoneLeft)) {
      if (done()) this.over = true;
      else if (everyoneLeft) this.fail('liveness: everyone left, work remains');
    }
    if (this.over) return;
    if (++this.steps > this.#wildSteps + this.#calmSteps) {
      // A world that polls without rest is never quiet; done is done.
      if (done()) this.over = true;
      else this.fail(`liveness: not done ${this.#calmSteps} fair steps after the last fault`);
      return;
    }
    this.#step();
  }

  readonly #isCalm = (): boolean => this.steps >= this.#wildSteps;
  readonly #isFrozen = (proc: Proc): boolean => proc.frozenUntilMs > this.timeline.nowMs && !this.#isCalm();

  #note(who: string, what: string): void {
    this.#journal.note({ step: this.steps, nowMs: this.timeline.nowMs }, who, what);
  }

  #delayMs(): number {
    return DELAYS_MS[this.below(DELAYS_MS.length)]!;
  }

  #step(): void {
    const { timeline } = this;
    timeline.nowMs += 1;
    const calm = this.#isCalm();
    const open = this.#wire.runnable(this.#isFrozen, this.#last);
    // When faults are over, restarts and late messages come at once, not in their own time.
    const healing = calm ? timeline.firstOfWorld() : undefined;
    if (healing) return this.#fire(healing);
    const next = timeline.next();
    if (next && (next.atMs <= timeline.nowMs || open.length === 0)) return this.#fire(next);
    if (open.length === 0) return this.#stuck();
    // All requests are slow: the next timer overtakes them.
    if (
      next &&
      !calm &&
      this.#tape.choose(2, ({ random, weather }) => Number(random.chance(weather.jumpRate)))
    ) {
      return this.#fire(next);
    }
    const at = calm
      ? this.#fair(open, this.steps)
      : this.#tape.choose(open.length, ({ strategy }) => strategy(open, this.steps));
    this.#last = open[at]!.process;
    this.#serve(open[at]!);
  }

  #stuck(): void {
    const waiting = this.procs.filter(({ running }) => running).map(({ name }) => name);
    this.fail(`stuck: ${waiting.join(', ')} wait for something the simulation does not know`);
  }

  #fire(timer: Timer<Proc>): void {
    const { timeline } = this;
    timeline.remove(timer);
    if (timer.owner || !this.#isCalm()) timeline.nowMs = Math.max(timeline.nowMs, timer.atMs);
    if (timer.owner && this.#isFrozen(timer.owner))
      return timeline.postpone(timer, timer.owner.frozenUntilMs);
    this.#note(timer.owner?.name ?? '(world)', timer.what);
    timer.fire();
  }

  #faultFor({ proc, op }: Request): Fault | undefined {
    if (!proc || this.#isCalm() || this.#faults.length === 0) return undefined;
    const usable = this.#faults.filter(
      (fault) => (fault !== 'twice' || op.resendable) && !(proc.immortal && isCrash(fault)),
    );
    const choice = this.#tape.choose(usable.length + 1, ({ random, weather }) => {
      if (!random.chance(weather.faultRate)) return 0;
      const at = random.below(usable.length);
      return weather.faults.has(usable[at]!) ? at + 1 : 0;
    });
    return usable[choice - 1];
  }

  #serve(request: Request): void {
    const { proc, op, server } = request;
    const { nowMs } = this.timeline;
    const who = proc?.name ?? '(network)';
    const label = this.#journal.deep ? `${op.name}(${inWords(op.args)})` : op.name;
    if (proc && (proc.cuts.get(server) ?? 0) > nowMs && !this.#isCalm()) {
      this.#wire.take(request);
      this.#note(who, `${label} -> cut off`);
      return request.fail('cut off');
    }
    const fault = this.#faultFor(request);
    if (proc && fault === 'pause') return this.#pause(proc, label);
    this.#wire.take(request);
    const answer = APPLIED.has(fault) ? request.apply() : 'not applied';
    this.#note(who, `${label} -> ${answer}${fault ? ` ** ${fault}` : ''}`);
    if (fault === undefined || fault === 'twice') request.deliver();
    const failed = FAILED.get(fault);
    if (failed !== undefined) request.fail(failed);
    if (fault === 'twice' || fault === 'zombie') this.#arriveLater(request);
    if (fault === 'late')
      this.timeline.add(this.#delayMs(), proc, `late answer of ${op.name}`, request.deliver);
    if (proc && fault === 'cut') proc.cuts.set(server, nowMs + this.#delayMs());
    if (proc && isCrash(fault)) this.#crash(proc);
  }

  #pause(proc: Proc, label: string): void {
    const ms = this.#delayMs();
    proc.frozenUntilMs = this.timeline.nowMs + ms;
    this.timeline.add(ms, undefined, `${proc.name} unfreezes`, () => {});
    this.#note(proc.name, `${label} ** frozen until ${proc.frozenUntilMs}ms`);
  }

  #crash(proc: Proc): void {
    const orphans = this.#wire.takeOf(proc);
    this.timeline.removeOf(proc);
    proc.running = false;
    // What was already on the wire may still arrive.
    for (const request of orphans) if (this.below(2) === 1) this.#arriveLater(request);
    this.timeline.add(this.#delayMs(), undefined, `${proc.name} restarts`, () =>
      startLife(proc, this.#surroundings),
    );
  }

  #arriveLater(request: Request): void {
    const ghost = { ...request, process: -1, proc: undefined, deliver: () => {}, fail: () => {} };
    this.timeline.add(this.#delayMs(), undefined, `(in flight) ${request.op.name}`, () =>
      this.#wire.send(ghost),
    );
  }
}
