import {
  createFileRegistry,
  fromBinary,
  fromJsonString,
  toBinary,
  toJsonString,
  type DescMessage,
  type FileRegistry,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import type { ConvertResult, Convertor, SnippetInput, SnippetParts } from '@doska/core/snippets';
import { err, ok, type Result } from 'neverthrow';

export type BadDescriptors = { readonly kind: 'BadDescriptors'; readonly message: string };

const decoder = new TextDecoder('utf-8', { fatal: true });
const encoder = new TextEncoder();
const wordsOf = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));
const refused = (type: DescMessage, cause: unknown): ConvertResult => ({
  kind: 'refused',
  violations: [{ path: '', code: 'NotThisMessage', message: `not a ${type.typeName}: ${wordsOf(cause)}` }],
});

/** Reads the input as the message and writes it in the format of the section. */
const convertorOf =
  (type: DescMessage, registry: FileRegistry, output: 'json' | 'pb'): Convertor =>
  ({ format, bytes }: SnippetInput): ConvertResult => {
    try {
      const message =
        format === 'json'
          ? fromJsonString(type, decoder.decode(bytes), { registry })
          : fromBinary(type, bytes);
      const written =
        output === 'pb' ? toBinary(type, message) : encoder.encode(toJsonString(type, message, { registry }));
      return { kind: 'converted', contents: [{ bytes: written }] };
    } catch (cause) {
      return refused(type, cause);
    }
  };

/**
 * A convertor `message:<full name>` for each message of a descriptor set. It checks that an input is this message and writes
 * it as JSON or as protobuf, as the section's `Output` says.
 */
export const messageParts = (descriptorSet: Uint8Array): Result<SnippetParts, BadDescriptors> => {
  let registry: FileRegistry;
  try {
    registry = createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));
  } catch (cause) {
    return err({ kind: 'BadDescriptors', message: wordsOf(cause) });
  }
  const conversions = (['json', 'pb'] as const).flatMap((from) =>
    (['json', 'pb'] as const).map((to) => ({ from, to })),
  );
  const convertors: NonNullable<SnippetParts['convertors']> = Object.fromEntries(
    [...registry]
      .filter((one) => one.kind === 'message')
      .map((type) => [
        `message:${type.typeName}`,
        {
          conversions,
          make: ({ output }) => convertorOf(type, registry, output === 'pb' ? 'pb' : 'json'),
        },
      ]),
  );
  return ok({ convertors });
};
