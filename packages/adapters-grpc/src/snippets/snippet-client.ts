import {
  SnippetServiceDefinition,
  type SnippetVersion,
} from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_service';
import type { Condition, DataFormat, KeyedSnippet, MultiGetQuery, Version } from '@doska/core/snippets';
import { okAsync, type ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { conditionToPb, formatFromPb, formatToPb, versionToPb } from './snippet.mapper.ts';

export type SentSnippet = {
  readonly name: string;
  readonly key: string;
  readonly language?: string;
  readonly format: DataFormat;
  readonly content: Uint8Array;
  readonly condition?: Condition;
};
/** A write that was done. */
type Written<T> = T & { readonly version: Version };
export interface SnippetClient {
  /** The snippets of several keys. Fails if the service is away or refuses. */
  multiGet(query: MultiGetQuery): ResultAsync<readonly KeyedSnippet[], RpcError>;
  /** Like `multiGet`, but answers none if the service is away or too slow: snippets only decorate what they stand beside. */
  multiGetOrNone(query: MultiGetQuery): Promise<readonly KeyedSnippet[]>;
  put(snippet: SentSnippet): ResultAsync<Written<{ readonly names: readonly string[] }>, RpcError>;
  delete(
    snippet: Omit<SentSnippet, 'format' | 'content'>,
  ): ResultAsync<
    Written<{ readonly deleted: readonly string[]; readonly absent: readonly string[] }>,
    RpcError
  >;
}

const READ_MS = 200;
const WRITE_MS = 10_000;

const versionOf = (version: SnippetVersion | undefined): Version => ({
  ms: Number(version?.ms ?? 0),
  sequence: Number(version?.sequence ?? 0),
});

export const snippetClient = (channel: GrpcChannel, { readMs = READ_MS } = {}): SnippetClient => {
  const client = channel.client(SnippetServiceDefinition);
  const multiGet: SnippetClient['multiGet'] = ({ names, keys, language, minVersion }) =>
    client
      .multiGet(
        {
          names: [...names],
          keys: [...keys],
          language,
          minVersion: minVersion && versionToPb(minVersion),
        },
        { deadlineMs: readMs },
      )
      .map(({ snippets }) =>
        snippets.flatMap(
          ({ name, key, language: tag, format, content, version }): readonly KeyedSnippet[] => {
            const known = formatFromPb(format);
            // A format that this client does not know can't be shown.
            if (known.isErr() || !version) return [];
            return [
              {
                name,
                key,
                language: tag,
                content: { format: known.value, bytes: content },
                version: versionOf(version),
              },
            ];
          },
        ),
      );
  return {
    multiGet,
    multiGetOrNone: async (query) => (await multiGet(query).orElse(() => okAsync([]))).unwrapOr([]),
    put: ({ name, key, language = '', format, content, condition }) =>
      client
        .put(
          { name, key, language, format: formatToPb(format), content, condition: conditionToPb(condition) },
          { deadlineMs: WRITE_MS },
        )
        .map(({ names, version }) => ({ names, version: versionOf(version) })),
    delete: ({ name, key, language = '', condition }) =>
      client
        .delete({ name, key, language, condition: conditionToPb(condition) }, { deadlineMs: WRITE_MS })
        .map(({ deleted, absent, version }) => ({ deleted, absent, version: versionOf(version) })),
  };
};
