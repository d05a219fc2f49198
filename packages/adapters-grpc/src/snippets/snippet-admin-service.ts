import { SnippetAdminServiceDefinition } from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_admin_service';
import { rpcService, type ErrorTable, type RpcService } from '@doska/adapters-rpc';
import { unavailable, type Access } from '@doska/core/kernel';
import type { PrefixInUse, PrefixUpkeep, Redrive, RedriveError } from '@doska/core/snippets';
import { ResultAsync } from 'neverthrow';
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
const KEYS_DEFAULT = 100;
const PURGE_ROWS = 500;

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
      listKeys: ({ service, kps, prefix, afterKey, afterLanguage, limit }) =>
        keys(
          { service, kps },
          {
            limit: limit === 0 ? KEYS_DEFAULT : limit,
            ...(prefix === '' ? {} : { prefix }),
            ...(afterKey === '' ? {} : { after: { key: afterKey, language: afterLanguage } }),
          },
        ).map((rows) => ({
          keys: rows.map(({ key, language, row: { version, content } }) => ({
            key,
            language,
            version: versionToPb(version),
            isTombstone: content === undefined,
          })),
        })),
      purgePrefix: ({ service, kps }) =>
        purge({ service, kps }, PURGE_ROWS)
          .map((deleted) => ({ deleted }))
          .mapErr((error) => (error.kind === 'PrefixInUse' ? inUse(error) : error)),
      redrive: ({ topic, section }) =>
        redrive({ topic, ...(section === '' ? {} : { section }) }).mapErr(redriveRefused),
      reload: () =>
        ResultAsync.fromSafePromise(reload()).map(({ isLoaded, mistakes }) => ({
          loaded: isLoaded,
          mistakes: [...mistakes],
        })),
    },
  });
