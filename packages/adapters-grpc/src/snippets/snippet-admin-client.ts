import { SnippetAdminServiceDefinition } from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_admin_service';
import type { PrefixPlace, Redriven, Version } from '@doska/core/snippets';
import type { ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

export type StoredKeyView = {
  readonly key: string;
  readonly language: string;
  readonly version: Version;
  readonly isTombstone: boolean;
};
/** What operators do with stored snippets. */
export interface SnippetAdminClient {
  listKeys(
    query: PrefixPlace & {
      readonly prefix?: string;
      readonly after?: { readonly key: string; readonly language: string };
      readonly limit?: number;
    },
  ): ResultAsync<readonly StoredKeyView[], RpcError>;
  /** Deletes a part. 0: the prefix is empty. */
  purgePrefix(place: PrefixPlace): ResultAsync<number, RpcError>;
  redrive(topic: string, section?: string): ResultAsync<Redriven, RpcError>;
  reload(): ResultAsync<{ readonly loaded: boolean; readonly mistakes: readonly string[] }, RpcError>;
}
const READ_MS = 10_000;
const REDRIVE_MS = 600_000;

export const snippetAdminClient = (channel: GrpcChannel): SnippetAdminClient => {
  const client = channel.client(SnippetAdminServiceDefinition);
  return {
    listKeys: ({ service, kps, prefix = '', after, limit = 0 }) =>
      client
        .listKeys(
          { service, kps, prefix, afterKey: after?.key ?? '', afterLanguage: after?.language ?? '', limit },
          { deadlineMs: READ_MS },
        )
        .map(({ keys }) =>
          keys.map(({ key, language, version, isTombstone }) => ({
            key,
            language,
            isTombstone,
            version: { ms: Number(version?.ms ?? 0), sequence: Number(version?.sequence ?? 0) },
          })),
        ),
    purgePrefix: (place) =>
      client
        .purgePrefix({ service: place.service, kps: place.kps }, { deadlineMs: READ_MS })
        .map(({ deleted }) => deleted),
    redrive: (topic, section = '') => client.redrive({ topic, section }, { deadlineMs: REDRIVE_MS }),
    reload: () => client.reload({}, { deadlineMs: READ_MS }),
  };
};
