import { err, ok, type Result } from 'neverthrow';
import type { ClientEpochs, EpochState, EpochStates } from './epoch.ts';

/** - `create`: a new epoch is built. `promote`: it serves, and the serving one is retained.
 *  - `rollback`: serving and retained change places. `finish`: the retained one, or the one that is built, is given up. */
export type EpochCommand = 'create' | 'promote' | 'rollback' | 'finish' | 'cancel';
export type EpochRefused = {
  readonly kind: 'EpochRefused';
  readonly command: EpochCommand;
  readonly message: string;
};

type Moved = Partial<Record<EpochState, EpochState | 'gone'>>;
/** What each command needs, and what it makes of the states. */
const COMMANDS: Record<
  Exclude<EpochCommand, 'create'>,
  { readonly needs: readonly EpochState[]; readonly forbids: readonly EpochState[]; readonly moves: Moved }
> = {
  promote: {
    needs: ['building', 'serving'],
    forbids: ['retained'],
    moves: { building: 'serving', serving: 'retained' },
  },
  rollback: {
    needs: ['serving', 'retained'],
    forbids: [],
    moves: { serving: 'retained', retained: 'serving' },
  },
  finish: { needs: ['retained'], forbids: [], moves: { retained: 'gone' } },
  cancel: { needs: ['building'], forbids: [], moves: { building: 'gone' } },
};

/** The states after the command. At most one epoch is building, one is serving and one is retained. */
export const changeEpochs = (
  { version, epochs }: ClientEpochs,
  command: EpochCommand,
): Result<EpochStates, EpochRefused> => {
  const refuse = (message: string) => err({ kind: 'EpochRefused' as const, command, message });
  const has = (state: EpochState): boolean => epochs.some((one) => one.state === state);
  const states = epochs.map(({ epoch, state }) => ({ epoch, state }));
  if (command === 'create') {
    if (has('building')) return refuse('an epoch is being built already');
    // Every change raises the version, so the number of an epoch that is gone never comes again: rows of it may still be there.
    const epoch = Math.max(version, ...epochs.map((one) => one.epoch)) + 1;
    return ok([...states, { epoch, state: 'building' }]);
  }
  const { needs, forbids, moves } = COMMANDS[command];
  const missing = needs.find((state) => !has(state));
  if (missing) return refuse(`no epoch is ${missing}`);
  const present = forbids.find(has);
  if (present) return refuse(`an epoch is ${present} still: finish it first`);
  return ok(
    states.flatMap(({ epoch, state }) => {
      const to = moves[state] ?? state;
      return to === 'gone' ? [] : [{ epoch, state: to }];
    }),
  );
};
