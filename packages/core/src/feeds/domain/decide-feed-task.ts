import { err, ok, type Result } from 'neverthrow';
import { delayMs, type Random } from '../../kernel/index.ts';
import {
  coreOf,
  type FeedTask,
  type FeedTaskEffect,
  type FeedTaskEvent,
  type FeedTaskEventKind,
  type FeedTaskFailure,
  type FeedTaskPlace,
  type FeedTaskSettings,
  type TaskEvent,
  type TaskIn,
} from './feed-task.ts';

/** Why an event changed nothing. The first two are counted: they tell of paused processors that woke up and of answers that came too late. */
export type Ignored = 'lower generation' | 'too late' | 'repeated' | 'not for this place';
export type FeedTaskDecision =
  | { readonly kind: 'moved'; readonly task: FeedTask; readonly effects: readonly FeedTaskEffect[] }
  | { readonly kind: 'ignored'; readonly because: Ignored; readonly counted: boolean };
export type FeedTaskRefused = {
  readonly kind: 'FeedTaskRefused';
  readonly place: FeedTaskPlace;
  readonly event: FeedTaskEventKind;
  /** `unknown generation`: the event names a run that was never claimed. */
  readonly because: 'not in this place' | 'unknown generation';
};

type Outcome = Result<FeedTaskDecision, FeedTaskRefused>;
/** One cell of the table. A cell that needs less than it is given says so by its type. */
type Cell<Place extends FeedTaskPlace, Kind extends FeedTaskEventKind> = (
  task: TaskIn<Place>,
  event: TaskEvent<Kind>,
  settings: FeedTaskSettings,
) => Outcome;
type InProgress = TaskIn<'queued'> | TaskIn<'sent'> | TaskIn<'held'>;

const moved = (task: FeedTask, ...effects: readonly FeedTaskEffect[]): Outcome =>
  ok({ kind: 'moved', task, effects });
const ignored = (because: Ignored): Outcome =>
  ok({ kind: 'ignored', because, counted: because === 'lower generation' || because === 'too late' });

const noop = (): Outcome => ignored('repeated');
const late = (): Outcome => ignored('too late');
/** A dash of the table: the event does not concern a task that is there. */
const dash = (): Outcome => ignored('not for this place');
const refuse = (task: FeedTask, event: FeedTaskEvent): Outcome =>
  err({ kind: 'FeedTaskRefused', place: task.place, event: event.kind, because: 'not in this place' });

const failed = (task: InProgress, failure: FeedTaskFailure): Outcome =>
  moved({ ...coreOf(task), place: 'failed', failure });
const gaveUp = (task: InProgress, message: string): Outcome => failed(task, { code: 'gave-up', message });

const run: Cell<'queued', 'claim'> = (task, { generation: lockGeneration, atMs }) => {
  const generation = lockGeneration + 1;
  const firstRunAtMs = task.firstRunAtMs ?? atMs;
  return moved({ ...task, generation, running: true, firstRunAtMs }, { kind: 'run', generation });
};

const fail: Cell<'queued', 'permanent error'> = (task, { message }) =>
  failed(task, { code: 'permanent', message });

/** Feeds have times of their own, so the pauses need no chance to spread them. */
const withoutChance: Random = { below: () => 0 };
const pauseAfter = (failures: number, { backoff }: FeedTaskSettings): number =>
  delayMs({ ...backoff, jitter: 0 }, failures, withoutChance);
/** The run came to nothing: another one after a pause, unless there were too many, or it took too long. */
const afterFailedRun = (
  task: TaskIn<'queued'>,
  { atMs, message }: { readonly atMs: number; readonly message: string },
  settings: FeedTaskSettings,
): FeedTask => {
  const attempts = task.attempts + 1;
  const tooLong = atMs - (task.firstRunAtMs ?? atMs) >= settings.giveUpAfterMs;
  if (task.purpose === 'load' && (attempts > settings.attemptsMax || tooLong))
    return { ...coreOf(task), attempts, place: 'failed', failure: { code: 'gave-up', message } };
  return { ...task, attempts, running: false, nextAttemptAtMs: atMs + pauseAfter(attempts, settings) };
};
const retry: Cell<'queued', 'transient error'> = (task, event, settings) =>
  task.running ? moved(afterFailedRun(task, event, settings)) : noop();

/** A run that was answered already is over: its processor only learns of it late. */
const written: Cell<'queued', 'terminal written'> = (task, { atMs }) =>
  task.running ? moved({ ...coreOf(task), place: 'sent', sentAtMs: atMs }) : noop();

const saveOnce = (task: FeedTask, { generation, batch, isSaved }: TaskEvent<'batch answered'>): Outcome => {
  const isNewer = generation > task.answeredGeneration;
  if (isSaved) return noop();
  return moved(
    { ...task, answeredGeneration: generation },
    ...(isNewer ? [{ kind: 'discard answers', belowGeneration: generation } as const] : []),
    { kind: 'save answer', generation, batch },
  );
};

const succeed = (task: InProgress): Outcome => moved({ ...coreOf(task), place: 'succeed', removal: 'done' });
const rejectRemoval = (task: InProgress): Outcome =>
  moved({ ...coreOf(task), place: 'succeed', removal: 'refused' });

/** The whole feed is written once more by another run, unless that was done too often or the feed is gone. */
const again = (
  task: TaskIn<'queued'> | TaskIn<'sent'>,
  atMs: number,
  { settings, message }: { readonly settings: FeedTaskSettings; readonly message: string },
): Outcome => {
  if (task.feedRemoved) return failed(task, { code: 'feed-removed' });
  const resends = task.resends + 1;
  const isLoad = task.purpose === 'load';
  if (isLoad && resends > settings.resendsMax) return gaveUp(task, message);
  // A removal is repeated without end, so it has to pause.
  const nextAttemptAtMs = isLoad ? atMs : atMs + pauseAfter(resends, settings);
  return moved({ ...coreOf(task), place: 'queued', resends, running: false, nextAttemptAtMs });
};
const notAll = (
  task: TaskIn<'queued'> | TaskIn<'sent'>,
  event: TaskEvent<'incomplete'>,
  settings: FeedTaskSettings,
) =>
  again({ ...task, settledGeneration: event.generation }, event.atMs, {
    settings,
    message: 'GOST did not get all of the feed',
  });
/** The processor died after the write, or is about to tell of it; in both cases that run is over. */
const stays: Cell<'queued', 'incomplete'> = (task, event, settings) =>
  task.running ? notAll(task, event, settings) : noop();

const hold = (task: TaskIn<'queued'> | TaskIn<'sent'>, { generation }: TaskEvent<'held'>): Outcome => {
  if (task.settledGeneration === generation) return noop();
  return task.feedRemoved ? rejectRemoval(task) : moved({ ...coreOf(task), place: 'held' });
};
/** The feed is sent once more: its new generation ends with a terminal message that GOST does not hold. */
const approve: Cell<'held', 'approve'> = (task, { generation, atMs }) =>
  moved({
    ...coreOf(task),
    place: 'queued',
    approved: true,
    settledGeneration: generation,
    running: false,
    nextAttemptAtMs: atMs,
  });

/** A processor that crashes every time must not run without end: a run without news counts as an attempt. */
const freeLock: Cell<'queued', 'watchdog'> = (task, { atMs }, settings) => {
  const message = 'the processor was not heard of any more';
  const next = task.running ? afterFailedRun(task, { atMs, message }, settings) : task;
  return moved(next, { kind: 'free lock' });
};
const unanswered: Cell<'sent', 'watchdog'> = (task, { atMs }, settings) =>
  atMs - task.sentAtMs < settings.answerWithinMs
    ? noop()
    : again(task, atMs, { settings, message: 'GOST did not answer' });

/** A removal that was skipped has removed nothing: it is sent again. */
const overtaken = (
  task: TaskIn<'queued'> | TaskIn<'sent'>,
  event: TaskEvent<'skipped'>,
  settings: FeedTaskSettings,
): Outcome =>
  task.purpose === 'load'
    ? failed(task, { code: 'superseded' })
    : again(task, event.atMs, { settings, message: 'GOST skipped the removal' });
const overtakenRun: Cell<'queued', 'skipped'> = (task, event, settings) =>
  task.running ? overtaken(task, event, settings) : noop();

/** A load that waits gives way to a younger one. A removal does not: its offers would stay. */
const giveWay: Cell<'queued', 'newer task'> = (task) =>
  task.running || task.purpose === 'removal' ? dash() : failed(task, { code: 'superseded' });
const leaveHeld: Cell<'held', 'newer task'> = (task) =>
  moved({ ...coreOf(task), place: 'succeed', removal: 'superseded' });

const cancel: Cell<'queued', 'feed removed'> = (task) =>
  task.purpose === 'removal' ? dash() : failed(task, { code: 'feed-removed' });
const finishes: Cell<'sent', 'feed removed'> = (task) => {
  if (task.purpose === 'removal') return dash();
  return task.feedRemoved ? noop() : moved({ ...task, feedRemoved: true });
};

/** Table T5 of the design. */
// prettier-ignore
export const feedTaskTable = {
  'claim':            { queued: run,      sent: refuse,     held: refuse,        failed: refuse,   succeed: refuse },
  'permanent error':  { queued: fail,     sent: dash,       held: dash,          failed: noop,     succeed: dash },
  'transient error':  { queued: retry,    sent: dash,       held: dash,          failed: dash,     succeed: dash },
  'terminal written': { queued: written,  sent: noop,       held: dash,          failed: refuse,   succeed: dash },
  'batch answered':   { queued: saveOnce, sent: saveOnce,   held: saveOnce,      failed: saveOnce, succeed: saveOnce },
  'done':             { queued: succeed,  sent: succeed,    held: succeed,       failed: late,     succeed: noop },
  'incomplete':       { queued: stays,    sent: notAll,     held: dash,          failed: dash,     succeed: dash },
  'held':             { queued: hold,     sent: hold,       held: noop,          failed: dash,     succeed: dash },
  'approve':          { queued: dash,     sent: dash,       held: approve,       failed: dash,     succeed: dash },
  'reject':           { queued: dash,     sent: dash,       held: rejectRemoval, failed: dash,     succeed: dash },
  'watchdog':         { queued: freeLock, sent: unanswered, held: dash,          failed: dash,     succeed: dash },
  'skipped':          { queued: overtakenRun, sent: overtaken, held: dash,       failed: dash,     succeed: dash },
  'newer task':       { queued: giveWay,  sent: dash,       held: leaveHeld,     failed: dash,     succeed: dash },
  'feed removed':     { queued: cancel,   sent: finishes,   held: rejectRemoval, failed: dash,     succeed: dash },
} as const satisfies { [Kind in FeedTaskEventKind]: { [Place in FeedTaskPlace]: Cell<Place, Kind> } };

/**
 * What an event makes of a task, with all that one commit must make true. An event of a lower generation is ignored
 * and counted, whatever it says; an event that is given twice, at once or later, changes nothing the second time.
 */
export const decideFeedTask = (task: FeedTask, event: FeedTaskEvent, settings: FeedTaskSettings): Outcome => {
  if (event.generation < task.generation) return ignored('lower generation');
  if (event.kind !== 'claim' && event.generation > task.generation)
    return err({
      kind: 'FeedTaskRefused',
      place: task.place,
      event: event.kind,
      because: 'unknown generation',
    });
  // The table is total by its type; the compiler can't see that the cell belongs to this very pair.
  const cell = feedTaskTable[event.kind][task.place] as (
    task: FeedTask,
    event: FeedTaskEvent,
    settings: FeedTaskSettings,
  ) => Outcome;
  return cell(task, event, settings);
};
