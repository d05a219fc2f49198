import {
  SnippetServiceDefinition,
  type DeleteRequest,
  type PutOutcome,
  type PutRequest,
} from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, mayPublish, type Access, type Caller, type InvalidInput } from '@doska/core/kernel';
import {
  languageOf,
  type DeleteCommand,
  type PutAnswer,
  type PutCommand,
  type Snippets,
} from '@doska/core/snippets';
import { err, errAsync, ok, Result, ResultAsync } from 'neverthrow';
import { inWords, snippetErrors, wordsOf, type NotYours, type SpokenError } from './snippet-errors.ts';
import { conditionFromPb, formatFromPb, formatToPb, versionFromPb, versionToPb } from './snippet.mapper.ts';

export type SnippetServiceNeeds = Pick<Snippets['useCases'], 'put' | 'remove' | 'multiGet'>;

/** Writes in one call of `BatchPut`. */
const PUTS_MAX = 100;
const writers: Access = { roles: ['publisher', 'service', 'operator'] };

const allowed = (caller: Caller, name: string): Result<void, NotYours> =>
  mayPublish(caller, name) || caller.roles.some((role) => role.name === 'service' || role.name === 'operator')
    ? ok(undefined)
    : err({ kind: 'NotYours', name });

const putFromPb = ({
  name,
  key,
  language,
  format,
  content,
  condition,
}: PutRequest): Result<PutCommand, InvalidInput> =>
  Result.combine([languageOf(language, 'language'), formatFromPb(format), conditionFromPb(condition)]).map(
    ([tag, known, must]) => ({
      name,
      key,
      language: tag,
      type: { format: known },
      bytes: content,
      ...(must ? { condition: must } : {}),
    }),
  );
const deleteFromPb = ({
  name,
  key,
  language,
  condition,
}: DeleteRequest): Result<DeleteCommand, InvalidInput> =>
  Result.combine([languageOf(language, 'language'), conditionFromPb(condition)]).map(([tag, must]) => ({
    name,
    key,
    language: tag,
    ...(must ? { condition: must } : {}),
  }));
const putToPb = ({ version, names }: PutAnswer) => ({ version: versionToPb(version), names: [...names] });

export const snippetService = (
  { put, remove, multiGet }: SnippetServiceNeeds,
  readers: Access,
): RpcService => {
  const putOne = (request: PutRequest, caller: Caller): ResultAsync<PutAnswer, SpokenError> =>
    allowed(caller, request.name)
      .andThen(() => putFromPb(request))
      .asyncAndThen((command) => put(command));
  const outcomeOf = async (request: PutRequest, caller: Caller): Promise<PutOutcome> => {
    const stored = await putOne(request, caller);
    return stored.isOk()
      ? { outcome: { $case: 'stored', value: putToPb(stored.value) } }
      : { outcome: { $case: 'refused', value: { kind: stored.error.kind, message: wordsOf(stored.error) } } };
  };
  return rpcService({
    definition: SnippetServiceDefinition,
    access: { multiGet: readers, put: writers, batchPut: writers, delete: writers },
    errors: snippetErrors,
    handlers: {
      multiGet: ({ names, keys, language, minVersion }) =>
        Result.combine([
          languageOf(language, 'language'),
          minVersion ? versionFromPb(minVersion, 'min_version') : ok(undefined),
        ])
          .asyncAndThen(([tag, version]) =>
            multiGet({ names, keys, language: tag, ...(version ? { minVersion: version } : {}) }),
          )
          .map((snippets) => ({
            snippets: snippets.map(({ name, key, language: tag, content, version }) => ({
              name,
              key,
              language: tag,
              format: formatToPb(content.format),
              content: content.bytes,
              version: versionToPb(version),
            })),
          }))
          .mapErr(inWords),
      put: (request, { caller }) => putOne(request, caller).map(putToPb).mapErr(inWords),
      batchPut: ({ puts }, { caller }) => {
        if (puts.length > PUTS_MAX)
          return errAsync(invalidInput({ path: 'puts', code: 'TooMany', message: `at most ${PUTS_MAX}` }));
        const outcomes = Promise.all(puts.map((one) => outcomeOf(one, caller)));
        return ResultAsync.fromSafePromise(outcomes).map((all) => ({ outcomes: all }));
      },
      delete: (request, { caller }) =>
        allowed(caller, request.name)
          .andThen(() => deleteFromPb(request))
          .asyncAndThen((command) => remove(command))
          .map(({ version, leaves }) => ({
            version: versionToPb(version),
            deleted: leaves.filter(({ outcome }) => outcome === 'deleted').map(({ name }) => name),
            absent: leaves.filter(({ outcome }) => outcome === 'absent').map(({ name }) => name),
          }))
          .mapErr(inWords),
    },
  });
};
