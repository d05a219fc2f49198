import { status } from '@grpc/grpc-js';
import type { Access } from '@doska/core/kernel';
import { ok, type Result } from 'neverthrow';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { descriptorIndex, type DescriptorIndex } from './descriptor-index.ts';
import {
  reflectionRequest,
  reflectionResponse,
  type Answer,
  type Question,
  type ReflectionRequest,
  type ReflectionResponse,
} from './reflection-messages.ts';

const definition = (version: 'v1' | 'v1alpha') =>
  ({
    fullName: `grpc.reflection.${version}.ServerReflection`,
    methods: {
      serverReflectionInfo: {
        name: 'ServerReflectionInfo',
        requestType: reflectionRequest,
        requestStream: true,
        responseType: reflectionResponse,
        responseStream: true,
      },
    },
  }) as const;

const notFound = (what: string): Answer => ({
  say: 'error',
  code: status.NOT_FOUND,
  message: `not found: ${what}`,
});

/** `sent` are the files this stream has had already: each is sent once. */
const answerTo = (
  index: DescriptorIndex,
  services: readonly string[],
  sent: Set<string>,
  question: Question,
): Answer => {
  const file = (name: string | undefined, what: string): Answer => {
    const files = name === undefined ? undefined : index.fileNamed(name);
    if (!files) return notFound(what);
    // The file that was asked for is always there, the ones it needs only the first time.
    const fresh = files.filter((one) => one.name === name || !sent.has(one.name));
    fresh.forEach((one) => sent.add(one.name));
    return { say: 'files', files: fresh.map(({ bytes }) => bytes) };
  };
  switch (question.ask) {
    case 'services':
      return { say: 'services', names: services };
    case 'file':
      return file(question.name, question.name);
    case 'symbol':
      return file(index.fileOfSymbol(question.name), question.name);
    case 'extension':
      return file(
        index.fileOfExtension(question.type, question.number),
        `extension ${question.number} of ${question.type}`,
      );
    case 'extensions': {
      const known = index.fileOfSymbol(question.type) !== undefined;
      return known
        ? { say: 'extensions', type: question.type, numbers: index.extensionsOf(question.type) }
        : notFound(question.type);
    }
    case 'nothing':
      return { say: 'error', code: status.INVALID_ARGUMENT, message: 'no question' };
  }
};

/** Both versions of the protocol over one index; only services that are really served are listed. */
export const reflectionServices = (
  options: { readonly descriptorSet: Uint8Array; readonly access?: Access } | undefined,
  served: readonly RpcService[],
): readonly RpcService[] => {
  if (!options) return [];
  const index = descriptorIndex(options.descriptorSet);
  const names = served.map(({ definition }) => definition.fullName).sort();
  const access = options.access ?? { roles: ['operator'] };
  async function* serverReflectionInfo(
    requests: AsyncIterable<ReflectionRequest>,
  ): AsyncIterable<Result<ReflectionResponse, never>> {
    const sent = new Set<string>();
    for await (const request of requests)
      yield ok({ request, answer: answerTo(index, names, sent, request.question) });
  }
  return (['v1', 'v1alpha'] as const).map((version) =>
    rpcService({
      definition: definition(version),
      handlers: { serverReflectionInfo },
      access: { serverReflectionInfo: access },
    }),
  );
};
