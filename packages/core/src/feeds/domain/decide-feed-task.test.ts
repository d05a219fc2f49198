import fc from 'fast-check';
import { err } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { decideFeedTask, type FeedTaskDecision, type FeedTaskRefused } from './decide-feed-task.ts';
import {
  FEED_TASK_PLACES,
  newFeedTask,
  type FeedTask,
  type FeedTaskEvent,
  type FeedTaskEventKind,
  type FeedTaskId,
  type FeedTaskPlace,
  type FeedTaskSettings,
  type TaskIn,
} from './feed-task.ts';

/**
 * Table T5 of the design. A cell: the place that follows, what else the commit does, or why nothing happens.
 * The queue's row is where the place is: `queued` -> anything else is the table's `dequeue`.
 */
const T5 = `
event            | queued             | sent               | held                 | failed      | succeed
claim            | queued run         | refuse             | refuse               | refuse      | refuse
permanent error  | failed             | –                  | –                    | no-op       | –
transient error  | queued             | –                  | –                    | –           | –
terminal written | sent               | no-op              | –                    | refuse      | –
batch answered   | queued save answer | sent save answer   | held save answer     | failed save answer | succeed save answer
done             | succeed            | succeed            | succeed              | late        | no-op
incomplete       | queued             | queued             | –                    | –           | –
held             | held               | held               | no-op                | –           | –
approve          | –                  | –                  | queued               | –           | –
reject           | –                  | –                  | succeed              | –           | –
watchdog         | queued free lock   | queued             | –                    | –           | –
skipped          | failed             | failed             | –                    | –           | –
newer task       | –                  | –                  | succeed              | –           | –
feed removed     | failed             | sent               | succeed              | –           | –`;
const [header = [], ...rows] = T5.trim()
  .split('\n')
  .map((line) => line.split('|').map((cell) => cell.trim()));

const settings: FeedTaskSettings = {
  attemptsMax: 2,
  resendsMax: 2,
  giveUpAfterMs: 10_000,
  answerWithinMs: 1_000,
  backoff: { firstMs: 10, factor: 2, maxMs: 25 },
};
const GENERATION = 5;
const core = {
  ...newFeedTask(1 as FeedTaskId, 0),
  generation: GENERATION,
  firstRunAtMs: 0,
  answeredGeneration: GENERATION,
};
const queued: TaskIn<'queued'> = { ...core, place: 'queued', running: true, nextAttemptAtMs: 0 };
const sent: TaskIn<'sent'> = { ...core, place: 'sent', sentAtMs: 0 };
const waiting: TaskIn<'queued'> = { ...queued, running: false };
const held: TaskIn<'held'> = { ...core, place: 'held' };
const tasks: { readonly [Place in FeedTaskPlace]: TaskIn<Place> } = {
  queued,
  sent,
  held,
  failed: { ...core, place: 'failed', failure: { code: 'permanent', message: 'no XML' } },
  succeed: { ...core, place: 'succeed', removal: 'done' },
};
const event = (
  kind: FeedTaskEventKind,
  over: { generation?: number; atMs?: number; isSaved?: boolean } = {},
): FeedTaskEvent => ({
  kind,
  generation: GENERATION,
  atMs: 2_000,
  message: 'broken',
  batch: 3,
  isSaved: false,
  ...over,
});
const decide = (task: FeedTask, given: FeedTaskEvent): FeedTaskDecision | FeedTaskRefused =>
  decideFeedTask(task, given, settings).match<FeedTaskDecision | FeedTaskRefused>(
    (decision) => decision,
    (refused) => refused,
  );
const after = (task: FeedTask, ...given: readonly FeedTaskEvent[]): FeedTask =>
  given.reduce((now, each) => {
    const decision = decide(now, each);
    return decision.kind === 'moved' ? decision.task : now;
  }, task);

const asCell = (decision: FeedTaskDecision | FeedTaskRefused): string => {
  switch (decision.kind) {
    case 'FeedTaskRefused':
      return 'refuse';
    case 'ignored':
      return {
        repeated: 'no-op',
        'too late': 'late',
        'not for this place': '–',
        'lower generation': 'stale',
      }[decision.because];
    case 'moved':
      return [decision.task.place, ...decision.effects.map(({ kind }) => kind)].join(' ');
  }
};

describe('T5', () => {
  const cells = rows.flatMap((row) =>
    FEED_TASK_PLACES.map((place) => ({
      kind: row[0] as FeedTaskEventKind,
      place,
      cell: row[header.indexOf(place)]!,
    })),
  );
  test.each(cells)('[P3] [T5] $kind on $place: $cell', ({ kind, place, cell }) => {
    expect(asCell(decide(tasks[place], event(kind)))).toBe(cell);
  });
  test.each(cells)('[P3] $kind of a lower generation on $place is ignored and counted', ({ kind, place }) => {
    const decision = decide(tasks[place], event(kind, { generation: GENERATION - 1 }));
    expect(decision).toEqual({ kind: 'ignored', because: 'lower generation', counted: true });
  });
  test.each(cells.filter(({ kind }) => kind !== 'claim'))(
    '[P3] $kind of a generation that was never claimed on $place is refused',
    ({ kind, place }) => {
      expect(decideFeedTask(tasks[place], event(kind, { generation: GENERATION + 1 }), settings)).toEqual(
        err({ kind: 'FeedTaskRefused', place, event: kind, because: 'unknown generation' }),
      );
    },
  );
});

describe('what a cell says beside the place', () => {
  test('[P3] a claim runs the generation after the one beside the lock, and the clock of giving up starts once', () => {
    const first = decide(newFeedTask(1 as FeedTaskId, 0), event('claim', { generation: 7, atMs: 10 }));
    expect(first).toMatchObject({
      task: { generation: 8, firstRunAtMs: 10, running: true },
      effects: [{ kind: 'run', generation: 8 }],
    });
    expect(after(queued, event('claim', { atMs: 99 }))).toMatchObject({ generation: 6, firstRunAtMs: 0 });
  });
  test('[P3] a permanent error fails with its message', () => {
    expect(after(queued, event('permanent error'))).toMatchObject({
      failure: { code: 'permanent', message: 'broken' },
    });
  });
  test.each([
    [0, { place: 'queued', attempts: 1, nextAttemptAtMs: 2_010, running: false }],
    [1, { place: 'queued', attempts: 2, nextAttemptAtMs: 2_020, running: false }],
    [2, { place: 'failed', attempts: 3, failure: { code: 'gave-up', message: 'broken' } }],
  ])('[P3] a transient error after %i others', (attempts, expected) => {
    expect(after({ ...queued, attempts }, event('transient error'))).toMatchObject(expected);
  });
  test.each([
    [9_999, 'queued'],
    [10_000, 'failed'],
  ])('[P3] a transient error %i ms after the first run leaves it %s', (atMs, place) => {
    expect(after(queued, event('transient error', { atMs })).place).toBe(place);
  });
  test('[P3] one run fails once, however often and by whomever that is told', () => {
    const once = after(queued, event('transient error'));
    expect(decide(once, event('transient error'))).toMatchObject({ kind: 'ignored', because: 'repeated' });
    expect(after(once, event('watchdog'))).toEqual(once);
    expect(after(queued, event('watchdog'), event('transient error'), event('watchdog'))).toMatchObject({
      attempts: 1,
    });
  });
  test.each([
    [0, 2_000, { place: 'queued', attempts: 1, nextAttemptAtMs: 2_010, running: false }],
    [1, 2_000, { place: 'queued', attempts: 2, nextAttemptAtMs: 2_020, running: false }],
    [2, 2_000, { place: 'failed', attempts: 3, failure: { code: 'gave-up' } }],
    [0, 9_999, { place: 'queued' }],
    [0, 10_000, { place: 'failed', failure: { code: 'gave-up' } }],
  ])('[P3] the watchdog after %i attempts, %i ms after the first run', (attempts, atMs, expected) => {
    const decision = decide({ ...queued, attempts }, event('watchdog', { atMs }));
    expect(decision).toMatchObject({ task: expected, effects: [{ kind: 'free lock' }] });
  });
  test('[P3] a task whose processor dies every time is given up', () => {
    let task: FeedTask = newFeedTask(1 as FeedTaskId, 0);
    let runs = 0;
    for (; task.place === 'queued' && runs < 100; runs++)
      task = after(
        task,
        event('claim', { generation: task.generation, atMs: 0 }),
        event('watchdog', { generation: task.generation + 1, atMs: 0 }),
      );
    expect([task.place, runs]).toEqual(['failed', settings.attemptsMax + 1]);
  });
  test('[P3] a processor that was given up but lives is heard when GOST has answered it', () => {
    const alone = after(queued, event('watchdog'));
    expect(asCell(decide(alone, event('terminal written')))).toBe('no-op');
    expect(asCell(decide(alone, event('done')))).toBe('succeed');
  });
  test('[P6] an answer is saved once; the first of a higher generation discards the lower ones', () => {
    expect(asCell(decide(queued, event('batch answered', { isSaved: true })))).toBe('no-op');
    expect(decide({ ...queued, answeredGeneration: 4 }, event('batch answered'))).toMatchObject({
      task: { answeredGeneration: 5 },
      effects: [
        { kind: 'discard answers', belowGeneration: 5 },
        { kind: 'save answer', generation: 5, batch: 3 },
      ],
    });
  });
  test('[P3] `done` after the failure is counted', () => {
    expect(decide(tasks.failed, event('done'))).toEqual({
      kind: 'ignored',
      because: 'too late',
      counted: true,
    });
  });
  test.each([
    ['sent', 'incomplete'],
    ['queued', 'incomplete'],
    ['sent', 'watchdog'],
  ] as const)('[P3] %s: %s repeats the run so many times, then the task fails', (place, kind) => {
    expect(after({ ...tasks[place], resends: 1 }, event(kind))).toMatchObject({
      place: 'queued',
      resends: 2,
    });
    expect(after({ ...tasks[place], resends: 2 }, event(kind))).toMatchObject({
      place: 'failed',
      failure: { code: 'gave-up' },
    });
  });
  test('[P3] a run that was answered `incomplete` is over when its processor tells of the write', () => {
    const answered = after(queued, event('incomplete'));
    expect(answered).toMatchObject({ place: 'queued', running: false });
    expect(asCell(decide(answered, event('terminal written')))).toBe('no-op');
  });
  test.each([
    [999, 'no-op'],
    [1_000, 'queued'],
  ])('[P3] the watchdog %i ms after the write: %s', (atMs, cell) => {
    expect(asCell(decide(sent, event('watchdog', { atMs })))).toBe(cell);
  });
  test('[P3] a run that was answered `incomplete` is not held by an answer that was on its way', () => {
    expect(asCell(decide(after(sent, event('incomplete')), event('held')))).toBe('no-op');
    expect(asCell(decide(after(sent, event('watchdog')), event('held')))).toBe('held');
  });
  test('[P12] an approved removal is not held again by a repeated answer', () => {
    const approved = after(held, event('approve'));
    expect(approved).toMatchObject({
      place: 'queued',
      approved: true,
      running: false,
      nextAttemptAtMs: 2_000,
    });
    expect(asCell(decide(approved, event('held')))).toBe('no-op');
    expect(asCell(decide(after(approved, event('incomplete')), event('held')))).toBe('no-op');
  });
  test('[P12] an approval stays with the task through every later run', () => {
    const sentAgain = after(
      held,
      event('approve'),
      event('claim'),
      event('terminal written', { generation: 6 }),
    );
    expect(sentAgain).toMatchObject({ place: 'sent', approved: true, generation: 6 });
    expect(after(sentAgain, event('incomplete', { generation: 6 }))).toMatchObject({ approved: true });
  });
  test.each([
    ['reject', held, { removal: 'refused' }],
    ['feed removed', held, { removal: 'refused' }],
    ['done', held, { removal: 'done' }],
    ['feed removed', queued, { failure: { code: 'feed-removed' } }],
    ['skipped', queued, { failure: { code: 'superseded' } }],
    ['skipped', sent, { failure: { code: 'superseded' } }],
    ['newer task', waiting, { failure: { code: 'superseded' } }],
    ['newer task', held, { removal: 'superseded' }],
  ] as const)('[P3] %s ends the task with its reason', (kind, task, expected) => {
    expect(after(task, event(kind))).toMatchObject(expected);
  });
  test.each([
    ['done', 'succeed'],
    ['incomplete', 'failed'],
    ['watchdog', 'failed'],
    ['held', 'succeed'],
  ] as const)('[P1] a feed removed while its task is sent: %s leaves it %s', (kind, place) => {
    expect(after(sent, event('feed removed'), event(kind)).place).toBe(place);
  });
  test('[P3] a place left behind takes its fields with it', () => {
    expect(after(queued, event('terminal written'))).not.toHaveProperty('nextAttemptAtMs');
  });
});

describe('a removal', () => {
  const removing = { ...queued, purpose: 'removal' as const };
  test.each([
    ['newer task', { ...removing, running: false }, '–'],
    ['newer task', removing, '–'],
    ['feed removed', removing, '–'],
    ['feed removed', { ...sent, purpose: 'removal' as const }, '–'],
    ['skipped', removing, 'queued'],
    ['skipped', { ...sent, purpose: 'removal' as const }, 'queued'],
    ['skipped', { ...removing, running: false }, 'no-op'],
  ] as const)('[P3] %s does not end a removal', (kind, task, cell) => {
    expect(asCell(decide(task, event(kind)))).toBe(cell);
  });
  test.each(['transient error', 'watchdog'] as const)('[P3] a removal never gives up: %s', (kind) => {
    expect(after({ ...removing, attempts: 100 }, event(kind, { atMs: 1_000_000 }))).toMatchObject({
      place: 'queued',
      attempts: 101,
      nextAttemptAtMs: 1_000_025,
    });
  });
  test.each(['incomplete', 'watchdog'] as const)(
    '[P3] a sent removal is repeated after a pause: %s',
    (kind) => {
      const repeated = after({ ...sent, purpose: 'removal', resends: 100 }, event(kind));
      expect(repeated).toMatchObject({ place: 'queued', resends: 101, nextAttemptAtMs: 2_025 });
    },
  );
  test('[P3] a waiting load is skipped by no answer: the answer belongs to a run that is over', () => {
    expect(asCell(decide(waiting, event('skipped')))).toBe('no-op');
  });
});

describe('laws of walks', () => {
  /** A step names its generation by its distance from the newest, so that most events are about something. */
  type Step = {
    readonly kind: FeedTaskEventKind;
    readonly behind: number;
    readonly laterMs: number;
    readonly batch: number;
  };
  const anyStep: fc.Arbitrary<Step> = fc.record({
    // What ends a task comes seldom, so that walks are long enough to meet themselves again.
    kind: fc.oneof(
      { weight: 1, arbitrary: fc.constantFrom(...rows.map((row) => row[0] as FeedTaskEventKind)) },
      {
        weight: 2,
        arbitrary: fc.constantFrom(
          ...(['claim', 'terminal written', 'batch answered', 'incomplete', 'held', 'approve'] as const),
        ),
      },
    ),
    behind: fc.constantFrom(0, 0, 0, 0, 1, -1),
    laterMs: fc.constantFrom(0, 1, 500, 2_000),
    batch: fc.integer({ min: 0, max: 2 }),
  });
  const anyWalk = fc.array(anyStep, { maxLength: 30 });
  type Visit = {
    readonly before: FeedTask;
    readonly event: FeedTaskEvent;
    readonly after: FeedTask;
  };
  const walk = (steps: readonly Step[]): Visit[] => {
    let task: FeedTask = newFeedTask(1 as FeedTaskId, 0);
    let atMs = 0;
    const saved = new Set<string>();
    return steps.map(({ kind, behind, laterMs, batch }) => {
      atMs += laterMs;
      const before = task;
      const generation = task.generation - behind;
      const row = `${generation}/${batch}`;
      const given = { kind, generation, atMs, batch, message: 'm', isSaved: saved.has(row) };
      const decision = decide(task, given);
      if (decision.kind === 'moved') {
        task = decision.task;
        if (decision.effects.some((effect) => effect.kind === 'save answer')) saved.add(row);
      }
      return { before, event: given, after: task };
    });
  };
  /** As the store tells it when the event comes again. */
  const savedBefore = (given: FeedTaskEvent): FeedTaskEvent =>
    given.kind === 'batch answered' ? { ...given, isSaved: true } : given;
  const holds = (law: (visits: readonly Visit[]) => void): void =>
    fc.assert(
      fc.property(anyWalk, (steps) => law(walk(steps))),
      { numRuns: 1000 },
    );

  test('[P3] a walk never leaves a final place', () => {
    holds((visits) => {
      for (const { before, after } of visits)
        if (before.place === 'failed' || before.place === 'succeed')
          expect({ ...after, answeredGeneration: before.answeredGeneration }).toEqual(before);
    });
  });
  test('[P3] attempts and resends are bounded, and no counter and no generation ever falls', () => {
    holds((visits) => {
      for (const { before, after } of visits) {
        expect(after.attempts).toBeLessThanOrEqual(settings.attemptsMax + 1);
        expect(after.resends).toBeLessThanOrEqual(settings.resendsMax);
        for (const number of ['attempts', 'resends', 'generation'] as const)
          expect(after[number]).toBeGreaterThanOrEqual(before[number]);
      }
    });
  });
  test('[P3] an event that moved a task and comes again, at once or any time later, changes nothing', () => {
    holds((visits) => {
      for (const [index, visit] of visits.entries())
        for (const earlier of visits.slice(0, index + 1).filter(({ before, after }) => before !== after))
          expect(after(visit.after, savedBefore(earlier.event))).toEqual(visit.after);
    });
  });
  test('[P3] only a claim starts a run, and only in the queue', () => {
    holds((visits) => {
      for (const { before, event, after } of visits) {
        if (after.generation === before.generation) continue;
        expect([before.place, event.kind, after.place]).toEqual(['queued', 'claim', 'queued']);
      }
    });
  });
  test('[P6] saved answers are of one generation, and a lower one never comes back', () => {
    holds((visits) => {
      for (const { before, after } of visits)
        expect(after.answeredGeneration).toBeGreaterThanOrEqual(before.answeredGeneration);
    });
  });
});
