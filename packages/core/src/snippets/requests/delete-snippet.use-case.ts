import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { Leaf } from '../config/snippet-config.ts';
import type { Condition, RowOutcome, RowWrite, SnippetWrite } from '../store/stored-row.ts';
import type { Version } from '../version/version.ts';
import { addressOf, conditionAllowed, rowOf } from './address.ts';
import type { DeleteError } from './snippet-errors.ts';
import type { WriteQueue } from './write-queue.use-case.ts';

export type DeleteCommand = {
  /** The config to work with. Callers that looked something up in a config pass it, so that the request sees only one. */
  readonly at?: LoadedConfig;
  readonly name: string;
  readonly key: string;
  readonly language: string;
  readonly condition?: Condition;
};
export type DeletedLeaf = { readonly name: string; readonly outcome: 'deleted' | 'absent' };
export type DeleteAnswer = { readonly version: Version; readonly leaves: readonly DeletedLeaf[] };
export type DeleteSnippet = (command: DeleteCommand) => ResultAsync<DeleteAnswer, DeleteError>;

/** The rows to delete. Where the section makes languages, every stored language of the key goes too. */
export const deletionOf = (
  targets: readonly Leaf[],
  key: string,
  language: string,
): Pick<SnippetWrite, 'rows' | 'allLanguagesOf'> => ({
  rows: targets.flatMap((leaf): readonly RowWrite[] =>
    (leaf.languages ?? [language]).map((one) => ({
      at: rowOf(leaf, key, one),
      content: undefined,
      ttlMs: undefined,
    })),
  ),
  allLanguagesOf: targets
    .filter(({ languages }) => languages)
    .map(({ service, kps }) => ({ service, kps, key })),
});

/** Rows that were found by language come last, and there are such only for sections with languages. */
const leavesOf = (
  targets: readonly Leaf[],
  { rows }: Pick<SnippetWrite, 'rows'>,
  outcomes: readonly RowOutcome[],
): readonly DeletedLeaf[] => {
  const others = outcomes.slice(rows.length).some(({ wasLive }) => wasLive);
  return targets.map((leaf) => {
    const own = rows.some(
      ({ at }, i) => at.service === leaf.service && at.kps === leaf.kps && outcomes[i]!.wasLive,
    );
    const wasLive = own || (others && leaf.languages !== undefined);
    return { name: leaf.name, outcome: wasLive ? 'deleted' : 'absent' };
  });
};

export const makeDeleteSnippet = (needs: {
  readonly current: () => LoadedConfig;
  readonly writes: WriteQueue;
  readonly keyBytesMax: number;
}): DeleteSnippet => {
  const remove = async (command: DeleteCommand): Promise<Result<DeleteAnswer, DeleteError>> => {
    const { name, key, language, condition } = command;
    const address = addressOf((command.at ?? needs.current()).config, name, key, needs.keyBytesMax);
    if (address.isErr()) return err(address.error);
    const { targets } = address.value.section;
    const deletion = deletionOf(targets, key, language);
    const allowed = condition ? conditionAllowed(deletion.rows.length) : ok(undefined);
    if (allowed.isErr()) return err(allowed.error);
    const written = await needs.writes.commit({ ...deletion, ...(condition ? { condition } : {}) });
    return written.andThen((outcome) =>
      outcome.kind === 'conditionFailed'
        ? err({ kind: 'ConditionFailed' as const, version: outcome.version })
        : ok({ version: outcome.version, leaves: leavesOf(targets, deletion, outcome.rows) }),
    );
  };
  return (command) => new ResultAsync(remove(command));
};
