import { err, ok, Result } from 'neverthrow';
import type { InvalidInput, Violation } from '../../kernel/index.ts';
import { checkedKey } from '../address/key-rules.ts';
import { languageOf } from '../address/language.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { TopicInput } from '../config/snippet-config.ts';
import { checkJson } from '../content/check-json.ts';
import type { ContentLimits } from '../content/prepare-leaf.ts';
import type { ExtractResult } from '../content/snippet-parts.ts';
import { deletionOf } from '../requests/delete-snippet.use-case.ts';
import { preparedRows, type WriteLimits } from '../requests/put-snippet.use-case.ts';
import type { SnippetWrite } from '../store/stored-row.ts';
import { OPERATION_HEADER, versionOfRecord, type TopicRecord } from './topic-record.ts';

/** No retry can succeed. */
export type InvalidRecord = { readonly kind: 'invalid'; readonly reason: string };
/** An attempt failed and the next one may succeed. `isAway`: the store is away, which is not the record's fault. */
export type FailedRecord = { readonly kind: 'failed'; readonly reason: string; readonly isAway: boolean };
export type RecordLimits = WriteLimits & ContentLimits;

const invalid = (reason: string): Result<never, InvalidRecord> => err({ kind: 'invalid', reason });
const inWords = (violations: readonly Violation[]): string =>
  violations
    .slice(0, 5)
    .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
    .join('; ');
const ofInput = ({ violations }: InvalidInput): InvalidRecord => ({
  kind: 'invalid',
  reason: inWords(violations),
});

const extracted = (
  loaded: LoadedConfig,
  { section, format }: TopicInput,
  bytes: Uint8Array,
  jsonDepthMax: number,
): Result<ExtractResult, InvalidRecord | FailedRecord> => {
  const json = format === 'json' ? checkJson(bytes, jsonDepthMax) : ok(undefined);
  if (json.isErr()) return invalid(json.error.message);
  try {
    return ok(loaded.extract.get(section)!({ format, bytes, json: json.value }));
  } catch (cause) {
    const words = cause instanceof Error ? cause.message : String(cause);
    return err({ kind: 'failed', reason: `the key extractor threw: ${words}`, isAway: false });
  }
};

/** Makes the write of a topic's record: its key, its checked and converted contents, and its version. */
export const prepareRecord = async (
  loaded: LoadedConfig,
  input: TopicInput,
  record: TopicRecord,
  limits: RecordLimits,
): Promise<Result<SnippetWrite, InvalidRecord | FailedRecord>> => {
  const { value: bytes, headers } = record;
  const operation = headers[OPERATION_HEADER];
  if (operation !== undefined && operation !== 'delete' && operation !== 'put')
    return invalid(`the header ${OPERATION_HEADER} is "${operation}"; put or delete is expected`);
  if (bytes.length > limits.contentBytesMax)
    return invalid(`the content has ${bytes.length} bytes, at most ${limits.contentBytesMax} are allowed`);
  const found = extracted(loaded, input, bytes, limits.jsonDepthMax);
  if (found.isErr()) return err(found.error);
  if (found.value.kind === 'refused') return invalid(found.value.reason);
  const address = Result.combine([
    checkedKey(found.value.key, limits.keyBytesMax),
    languageOf(found.value.language, 'language'),
  ]).mapErr(ofInput);
  if (address.isErr()) return err(address.error);
  const [key, language] = address.value;
  const { targets } = loaded.config.sections.get(input.section)!;
  const version = versionOfRecord(record);
  if (operation === 'delete') return ok({ ...deletionOf(targets, key, language), record: version });
  const rows = await preparedRows(loaded, targets, { key, language, format: input.format, bytes }, limits);
  return rows
    .map((written) => ({ rows: written, record: version }))
    .mapErr((error) => {
      switch (error.kind) {
        case 'Refused':
          return { kind: 'invalid', reason: inWords(error.verdicts.flatMap(({ violations }) => violations)) };
        case 'TooLarge':
          return { kind: 'invalid', reason: `${error.what} is larger than ${error.bytesMax} bytes` };
        case 'PartFailed':
          return { kind: 'failed', reason: `${error.section}: ${error.what}`, isAway: false };
      }
    });
};
