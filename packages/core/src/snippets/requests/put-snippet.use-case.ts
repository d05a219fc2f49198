import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { DataFormat } from '../address/data-format.ts';
import { formatOfType } from '../address/data-format.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { Leaf } from '../config/snippet-config.ts';
import type { PartFailed, PreparedContent } from '../content/prepare-leaf.ts';
import { ROW_BYTES, ROWS_MAX, type Condition, type RowWrite } from '../store/stored-row.ts';
import type { Version } from '../version/version.ts';
import { addressOf, conditionAllowed, rowOf, type Address } from './address.ts';
import type { LeafVerdict, PutError, Refused, TooLarge } from './snippet-errors.ts';
import type { WriteQueue } from './write-queue.use-case.ts';

export type WriteLimits = {
  readonly keyBytesMax: number;
  readonly contentBytesMax: number;
  readonly commitBytesMax: number;
};
export type PutCommand = {
  /** The config to work with. Callers that looked something up in a config pass it, so that the request sees only one. */
  readonly at?: LoadedConfig;
  readonly name: string;
  readonly key: string;
  /** Empty: none. It is ignored where the section makes languages of its own. */
  readonly language: string;
  readonly type: { readonly contentType: string | undefined } | { readonly format: DataFormat };
  readonly bytes: Uint8Array;
  readonly condition?: Condition;
};
export type PutAnswer = { readonly version: Version; readonly names: readonly string[] };
export type PutSnippet = (command: PutCommand) => ResultAsync<PutAnswer, PutError>;

/** The rows of a write to a section or a group, checked and converted. */
export const preparedRows = async (
  loaded: LoadedConfig,
  targets: readonly Leaf[],
  input: {
    readonly key: string;
    readonly language: string;
    readonly format: DataFormat;
    readonly bytes: Uint8Array;
  },
  limits: WriteLimits,
): Promise<Result<readonly RowWrite[], Refused | TooLarge | PartFailed>> => {
  const prepared = await Promise.all(targets.map((leaf) => loaded.prepare.get(leaf.name)!(input)));
  const verdicts: LeafVerdict[] = [];
  const rows: RowWrite[] = [];
  let isRefused = false;
  for (const [i, leaf] of targets.entries()) {
    const one = prepared[i]!;
    if (one.isOk()) rows.push(...one.value.map((content) => rowWrite(leaf, input.key, content)));
    else if (one.error.kind === 'PartFailed') return err(one.error);
    else isRefused = true;
    const violations = one.isErr() && one.error.kind === 'LeafRefused' ? one.error.violations : [];
    verdicts.push({ name: leaf.name, violations });
  }
  if (isRefused) return err({ kind: 'Refused', verdicts });
  const bytes = rows.reduce((sum, { content }) => sum + ROW_BYTES + content!.bytes.length, 0);
  if (bytes > limits.commitBytesMax || rows.length > ROWS_MAX)
    return err({ kind: 'TooLarge', what: 'the write of a group', bytesMax: limits.commitBytesMax });
  return ok(rows);
};
const rowWrite = (leaf: Leaf, key: string, { bytes, language }: PreparedContent): RowWrite => ({
  at: rowOf(leaf, key, language),
  content: { format: leaf.output, bytes },
  ttlMs: leaf.ttlMs,
});

const formatOf = ({ section }: Address, type: PutCommand['type']): Result<DataFormat, PutError> => {
  const { inputs } = section;
  const format =
    'format' in type
      ? inputs.includes(type.format)
        ? type.format
        : undefined
      : formatOfType(type.contentType, inputs);
  return format ? ok(format) : err({ kind: 'UnsupportedFormat', accepted: inputs });
};

export const makePutSnippet = (needs: {
  readonly current: () => LoadedConfig;
  readonly writes: WriteQueue;
  readonly limits: WriteLimits;
}): PutSnippet => {
  const { current, writes, limits } = needs;
  const put = async (command: PutCommand): Promise<Result<PutAnswer, PutError>> => {
    const { name, key, language, bytes, condition } = command;
    const loaded = command.at ?? current();
    const address = addressOf(loaded.config, name, key, limits.keyBytesMax);
    if (address.isErr()) return err(address.error);
    const format = formatOf(address.value, command.type);
    if (format.isErr()) return err(format.error);
    if (bytes.length > limits.contentBytesMax)
      return err({ kind: 'TooLarge', what: 'the content', bytesMax: limits.contentBytesMax });
    const { targets } = address.value.section;
    const input = { key, language, format: format.value, bytes };
    const rows = await preparedRows(loaded, targets, input, limits);
    if (rows.isErr()) return err(rows.error);
    if (condition) {
      const allowed = conditionAllowed(rows.value.length);
      if (allowed.isErr()) return err(allowed.error);
    }
    const written = await writes.commit({ rows: rows.value, ...(condition ? { condition } : {}) });
    return written.andThen((outcome) =>
      outcome.kind === 'conditionFailed'
        ? err({ kind: 'ConditionFailed' as const, version: outcome.version })
        : ok({ version: outcome.version, names: targets.map((leaf) => leaf.name) }),
    );
  };
  return (command) => new ResultAsync(put(command));
};
