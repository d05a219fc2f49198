import { SnippetServiceDefinition } from '@doska/adapters-proto/generated/doska/snippets/v1/snippet_service';
import type { DataFormat, KeyedSnippet, MultiGetQuery } from '@doska/core/snippets';
import { okAsync, type ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';
import { formatFromPb, formatToPb, versionToPb } from './snippet.mapper.ts';

export type SentSnippet = {
  readonly name: string;
  readonly key: string;
  readonly language?: string;
  readonly format: DataFormat;
  readonly content: Uint8Array;
};
export interface SnippetClient {
  /** The snippets of several keys. Fails if the service is away or refuses. */
  multiGet(query: MultiGetQuery): ResultAsync<readonly KeyedSnippet[], RpcError>;
  /** Like `multiGet`, but answers none if the service is away or too slow: snippets only decorate what they stand beside. */
  multiGetOrNone(query: MultiGetQuery): Promise<readonly KeyedSnippet[]>;
  put(snippet: SentSnippet): ResultAsync<{ readonly names: readonly string[] }, RpcError>;
  delete(
    snippet: Pick<SentSnippet, 'name' | 'key' | 'language'>,
  ): ResultAsync<{ readonly deleted: readonly string[] }, RpcError>;
}

const READ_MS = 200;
const WRITE_MS = 10_000;

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
                version: { ms: Number(version.ms), sequence: Number(version.sequence) },
              },
            ];
          },
        ),
      );
  return {
    multiGet,
    multiGetOrNone: async (query) => (await multiGet(query).orElse(() => okAsync([]))).unwrapOr([]),
    put: ({ name, key, language = '', format, content }) =>
      client
        .put(
          { name, key, language, format: formatToPb(format), content, condition: undefined },
          { deadlineMs: WRITE_MS },
        )
        .map(({ names }) => ({ names })),
    delete: ({ name, key, language = '' }) =>
      client
        .delete({ name, key, language, condition: undefined }, { deadlineMs: WRITE_MS })
        .map(({ deleted }) => ({ deleted })),
  };
};
