import { SnippetAdminServiceDefinition } from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_admin_service';
import { rpcService, type ErrorTable, type RpcService } from '@doska/adapters-rpc';
import {
  invalidInputOf,
  unavailable,
  type Access,
  type InvalidInput,
  type Violation,
} from '@doska/core/kernel';
import type { PrefixInUse, PrefixUpkeep, Redrive, RedriveError } from '@doska/core/snippets';
import { err, errAsync, ok, ResultAsync, type Result } from 'neverthrow';
import { versionToPb } from './snippet.mapper.ts';

export type SnippetAdminNeeds = PrefixUpkeep & {
  readonly redrive: Redrive;
  readonly reload: () => Promise<{ readonly isLoaded: boolean; readonly mistakes: readonly string[] }>;
};
const operators: Access = { roles: ['operator'] };
const errors = {
  PrefixInUse: 'FAILED_PRECONDITION',
  UnknownTopic: 'NOT_FOUND',
} as const satisfies ErrorTable;
/** What a database keeps in an integer. */
const KPS_MAX = 2 ** 31 - 1;
const TOPIC = /^[A-Za-z0-9._-]{1,240}$/;
const KEYS_DEFAULT = 100;
const PURGE_ROWS = 500;

/** Refuses texts that no database stores and numbers that no prefix has; `texts` are by the names of their fields. */
const checked = <T extends object>(
  request: T,
  texts: Readonly<Record<string, string>>,
  kps = 0,
): Result<T, InvalidInput> => {
  const violations: Violation[] = Object.entries(texts)
    .filter(([, text]) => text.includes('\0'))
    .map(([path]) => ({ path, code: 'Malformed', message: 'a text without zero bytes' }));
  if (kps > KPS_MAX) violations.push({ path: 'kps', code: 'Range', message: `at most ${KPS_MAX}` });
  return violations.length === 0 ? ok(request) : err(invalidInputOf(violations));
};

const inUse = (error: PrefixInUse) => ({
  ...error,
  message: `the section "${error.name}" stores snippets under this prefix: take it out of the configuration first`,
});
const redriveRefused = (error: RedriveError) => {
  if (error.kind === 'Unavailable') return error;
  return error.kind === 'UnknownTopic'
    ? { ...error, message: `topic: there is no topic "${error.topic}"` }
    : unavailable(`the dead letters could not be sent: ${error.kind}`, undefined, false);
};

export const snippetAdminService = ({ keys, purge, redrive, reload }: SnippetAdminNeeds): RpcService =>
  rpcService({
    definition: SnippetAdminServiceDefinition,
    access: { listKeys: operators, purgePrefix: operators, redrive: operators, reload: operators },
    errors,
    handlers: {
      listKeys: (request) => {
        const { service, kps, prefix, afterKey, afterLanguage } = request;
        const texts = { service, prefix, after_key: afterKey, after_language: afterLanguage };
        return checked(request, texts, kps)
          .asyncAndThen(({ limit }) =>
            keys(
              { service, kps },
              {
                limit: limit === 0 ? KEYS_DEFAULT : limit,
                ...(prefix === '' ? {} : { prefix }),
                ...(afterKey === '' ? {} : { after: { key: afterKey, language: afterLanguage } }),
              },
            ),
          )
          .map((rows) => ({
            keys: rows.map(({ key, language, row: { version, content } }) => ({
              key,
              language,
              version: versionToPb(version),
              isTombstone: content === undefined,
            })),
          }));
      },
      purgePrefix: ({ service, kps }) =>
        checked({ service, kps }, { service }, kps)
          .asyncAndThen((place) => purge(place, PURGE_ROWS))
          .map((deleted) => ({ deleted }))
          .mapErr((error) => (error.kind === 'PrefixInUse' ? inUse(error) : error)),
      redrive: ({ topic, section }) =>
        TOPIC.test(topic)
          ? redrive({ topic, ...(section === '' ? {} : { section }) }).mapErr(redriveRefused)
          : errAsync(redriveRefused({ kind: 'UnknownTopic', topic })),
      reload: () =>
        ResultAsync.fromSafePromise(reload()).map(({ isLoaded, mistakes }) => ({
          loaded: isLoaded,
          mistakes: [...mistakes],
        })),
    },
  });
