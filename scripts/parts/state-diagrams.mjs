/** State diagrams and tables, made from the tables of core by asking them. */
import { decideFeedTask, FEED_TASK_PLACES, feedTaskTable, newFeedTask } from '@doska/core/feeds';
import { LIFECYCLES, lifecycleTable, moveLifecycle } from '@doska/core/gost';

const HEADER = '<!-- Made by `npm run diagrams` from the tables in code. Do not edit. -->';

/** One arrow for each pair of states, with everything that leads along it. */
const diagram = (starts, moves) => {
  const arrows = new Map();
  for (const { from, to, by } of moves) {
    if (from === to) continue;
    const key = `${from} --> ${to}`;
    arrows.set(key, [...(arrows.get(key) ?? []), by]);
  }
  const lines = [...arrows].map(([arrow, names]) => `    ${arrow} : ${[...new Set(names)].join(', ')}`);
  return ['```mermaid', 'stateDiagram-v2', ...starts.map((start) => `    ${start}`), ...lines, '```'].join(
    '\n',
  );
};

const table = (header, rows) =>
  [header, header.map(() => '---'), ...rows].map((cells) => `| ${cells.join(' | ')} |`).join('\n');

const OFFER_COMMANDS = {
  expire: 'expire (the offer is due)',
  load: 'feed entry',
  manual: 'feed lets the offer go',
  photos: 'photo answer',
  erase: 'erase the seller',
};
const offerCommand = (name) => OFFER_COMMANDS[name] ?? name;

const offerCell = (lifecycle, command, ban) =>
  moveLifecycle({ lifecycle, ban }, command).match(
    (next) => {
      if (next === undefined) return 'no change';
      return next === lifecycle ? `changes, stays ${next}` : next;
    },
    (refusal) => `refused: \`${refusal}\``,
  );
const offerRows = (ban, lifecycles) =>
  Object.keys(lifecycleTable).map((command) => [
    offerCommand(command),
    ...lifecycles.map((lifecycle) => offerCell(lifecycle, command, ban)),
  ]);
/** The rows that a ban changes. */
const bannedRows = (ban) => {
  const living = LIFECYCLES.filter((lifecycle) => lifecycle !== 'removed');
  const free = new Set(offerRows(undefined, living).map((row) => row.join()));
  return table(
    ['command', ...living],
    offerRows(ban, living).filter((row) => !free.has(row.join())),
  );
};

export const offerStates = () => {
  const moves = LIFECYCLES.flatMap((from) =>
    Object.keys(lifecycleTable).flatMap((command) => {
      const next = moveLifecycle({ lifecycle: from, ban: undefined }, command).unwrapOr(undefined);
      return next === undefined ? [] : [{ from, to: next, by: offerCommand(command) }];
    }),
  );
  return `# The life of an offer

${HEADER}

This is table T2 of the [requirements](../requirements.md). The states are the lifecycle of an offer. A ban is a second,
independent fact: buyers see a banned offer as \`banned\`, whatever its lifecycle is.

${diagram(['[*] --> active : publish'], moves)}

## Every command in every state

"No change" commits nothing and publishes nothing. A feed entry for a removed offer creates a new offer.

${table(['command', ...LIFECYCLES], offerRows(undefined, LIFECYCLES))}

## What a ban changes

Commands that are not in these tables work as above. When moderation lifts a ban, the lifecycle counts again. An active
offer that is past its end expires in the same commit.

### The seller may edit the banned offer

${bannedRows({ editable: true })}

### The seller may not edit the banned offer

${bannedRows({ editable: false })}
`;
};

const settings = {
  attemptsMax: 1,
  resendsMax: 1,
  giveUpAfterMs: 1_000_000,
  answerWithinMs: 1,
  backoff: { firstMs: 1, factor: 1, maxMs: 1 },
};
const fields = {
  queued: { running: true, nextAttemptAtMs: 0 },
  sent: { sentAtMs: 0 },
  held: {},
  failed: { failure: { code: 'feed-removed' } },
  succeed: { removal: 'done' },
};
/** A task at its first try, and one that has used up its tries: the same event may lead to different states. */
const tasksIn = (place, running) =>
  [0, 1].map((used) => {
    const { nextAttemptAtMs: _next, running: _running, ...core } = newFeedTask(1, 0);
    return {
      ...core,
      generation: 1,
      firstRunAtMs: 0,
      attempts: used,
      resends: used,
      place,
      ...fields[place],
      ...(place === 'queued' ? { running } : {}),
    };
  });
const IGNORED = { repeated: 'no change', 'too late': 'no change, counted', 'not for this place': '–' };
const feedTaskOutcomes = (place, kind) =>
  tasksIn(place, kind !== 'newer task').map((task) =>
    decideFeedTask(
      task,
      { kind, generation: 1, atMs: 10, message: '', batch: 0, isSaved: false },
      settings,
    ).match(
      (decision) =>
        decision.kind === 'moved'
          ? { to: decision.task.place, effects: decision.effects.map((effect) => effect.kind) }
          : { words: IGNORED[decision.because] },
      () => ({ words: 'refused' }),
    ),
  );
const feedTaskCell = (place, kind) => {
  const outcomes = feedTaskOutcomes(place, kind);
  const words = outcomes.map(({ to, words }) => (to === place ? `stays ${to}` : (to ?? words)));
  const effects = [...new Set(outcomes.flatMap((outcome) => outcome.effects ?? []))].filter(
    (effect) => effect !== 'discard answers',
  );
  const states = [...new Set(words)].join(' or ');
  return effects.length === 0 ? states : `${states}; ${effects.join(', ')}`;
};

export const feedTaskStates = () => {
  const events = Object.keys(feedTaskTable);
  const moves = FEED_TASK_PLACES.flatMap((from) =>
    events.flatMap((kind) =>
      feedTaskOutcomes(from, kind).flatMap(({ to }) => (to === undefined ? [] : [{ from, to, by: kind }])),
    ),
  );
  const ends = ['failed --> [*]', 'succeed --> [*]'];
  return `# The life of a feed task

${HEADER}

This is table T5 of the [requirements](../requirements.md). A task is one load of a feed. Every event carries the
generation of the run it belongs to. An event of a lower generation changes nothing and is counted.

${diagram(['[*] --> queued : new load', ...ends], moves)}

## Every event in every state

"A or b" means: \`a\` while the task has tries left, then \`b\`. A dash means that the event does not concern the state.
The table shows a load whose run has not ended; \`newer task\` shows one that waits for its turn: a running one finishes first. A
removal of a feed gives way to no event and never gives up.

${table(
  ['event', ...FEED_TASK_PLACES],
  events.map((kind) => [kind, ...FEED_TASK_PLACES.map((place) => feedTaskCell(place, kind))]),
)}
`;
};

/** Every generated document by its path from the root. */
export const stateDocuments = () => ({
  'docs/states/offer.md': offerStates(),
  'docs/states/feed-task.md': feedTaskStates(),
});
