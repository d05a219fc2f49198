import {
  SnippetFormat,
  type SnippetCondition,
  type SnippetVersion,
} from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_service';
import { invalidInput, wholeNumber, type InvalidInput } from '@doska/core/kernel';
import type { Condition, DataFormat, Version } from '@doska/core/snippets';
import { err, ok, Result } from 'neverthrow';

const toPb = {
  json: SnippetFormat.SNIPPET_FORMAT_JSON,
  pb: SnippetFormat.SNIPPET_FORMAT_PB,
  raw: SnippetFormat.SNIPPET_FORMAT_RAW,
} as const satisfies Record<DataFormat, SnippetFormat>;
export const formatToPb = (format: DataFormat): SnippetFormat => toPb[format];
export const formatFromPb = (format: SnippetFormat): Result<DataFormat, InvalidInput> => {
  const found = (Object.keys(toPb) as DataFormat[]).find((one) => toPb[one] === format);
  return found
    ? ok(found)
    : err(invalidInput({ path: 'format', code: 'WrongValue', message: 'json, pb or raw is expected' }));
};

export const versionToPb = ({ ms, sequence }: Version): SnippetVersion => ({
  ms: BigInt(ms),
  sequence: BigInt(sequence),
});
export const versionFromPb = (
  { ms, sequence }: SnippetVersion,
  path: string,
): Result<Version, InvalidInput> =>
  Result.combine([wholeNumber(`${path}.ms`, ms), wholeNumber(`${path}.sequence`, sequence)]).map(
    ([one, other]) => ({ ms: one, sequence: other }),
  );

export const conditionToPb = (condition: Condition | undefined): SnippetCondition | undefined => {
  switch (condition?.kind) {
    case undefined:
      return undefined;
    case 'exists':
    case 'absent':
      return { kind: { $case: condition.kind, value: true } };
    case 'version':
      return { kind: { $case: 'version', value: versionToPb(condition.version) } };
  }
};
const isSet = (kind: 'exists' | 'absent', value: boolean): Result<Condition, InvalidInput> =>
  value
    ? ok({ kind })
    : err(
        invalidInput({ path: `condition.${kind}`, code: 'WrongValue', message: 'must be true if it is set' }),
      );
export const conditionFromPb = (
  condition: SnippetCondition | undefined,
): Result<Condition | undefined, InvalidInput> => {
  const kind = condition?.kind;
  switch (kind?.$case) {
    case undefined:
      return ok(undefined);
    case 'exists':
    case 'absent':
      return isSet(kind.$case, kind.value);
    case 'version':
      return versionFromPb(kind.value, 'condition.version').map((version) => ({ kind: 'version', version }));
  }
};
