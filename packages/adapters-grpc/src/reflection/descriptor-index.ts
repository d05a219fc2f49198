import { fromBinary } from '@bufbuild/protobuf';
import { BinaryReader } from '@bufbuild/protobuf/wire';
import {
  FileDescriptorProtoSchema,
  type DescriptorProto,
  type FieldDescriptorProto,
  type FileDescriptorProto,
} from '@bufbuild/protobuf/wkt';

type File = { readonly bytes: Uint8Array; readonly proto: FileDescriptorProto };
export type DescriptorIndex = {
  /** A file and all it needs, each as it was in the set; undefined if there is none. */
  fileNamed(name: string): readonly { readonly name: string; readonly bytes: Uint8Array }[] | undefined;
  /** The file that declares a service, method, message, field, enum or extension. */
  fileOfSymbol(symbol: string): string | undefined;
  fileOfExtension(type: string, number: number): string | undefined;
  extensionsOf(type: string): readonly number[];
};

/** The raw files of a `FileDescriptorSet`: what is sent on must be what was compiled, byte for byte. */
const filesIn = (set: Uint8Array): readonly Uint8Array[] => {
  const reader = new BinaryReader(set);
  const files: Uint8Array[] = [];
  while (reader.pos < reader.len) {
    const [field, type] = reader.tag();
    if (field === 1) files.push(reader.bytes());
    else reader.skip(type, field);
  }
  return files;
};

const join = (scope: string, name: string): string => (scope === '' ? name : `${scope}.${name}`);

const messageSymbols = (scope: string, message: DescriptorProto): readonly string[] => {
  const own = join(scope, message.name);
  return [
    own,
    ...[...message.field, ...message.oneofDecl, ...message.extension].map(({ name }) => join(own, name)),
    ...message.enumType.flatMap(({ name, value }) => [
      join(own, name),
      ...value.map((one) => join(own, one.name)),
    ]),
    ...message.nestedType.flatMap((nested) => messageSymbols(own, nested)),
  ];
};
const symbolsOf = (file: FileDescriptorProto): readonly string[] => [
  ...file.messageType.flatMap((message) => messageSymbols(file.package, message)),
  ...file.enumType.flatMap(({ name, value }) =>
    [name, ...value.map((one) => one.name)].map((one) => join(file.package, one)),
  ),
  ...file.extension.map(({ name }) => join(file.package, name)),
  ...file.service.flatMap(({ name, method }) => {
    const own = join(file.package, name);
    return [own, ...method.map((one) => join(own, one.name))];
  }),
];
const extensionsIn = (file: FileDescriptorProto): readonly FieldDescriptorProto[] => {
  const nested = (message: DescriptorProto): readonly FieldDescriptorProto[] => [
    ...message.extension,
    ...message.nestedType.flatMap(nested),
  ];
  return [...file.extension, ...file.messageType.flatMap(nested)];
};

export const descriptorIndex = (set: Uint8Array): DescriptorIndex => {
  const files = new Map<string, File>();
  const symbols = new Map<string, string>();
  const extensions = new Map<string, Map<number, string>>();
  for (const bytes of filesIn(set)) {
    const proto = fromBinary(FileDescriptorProtoSchema, bytes);
    files.set(proto.name, { bytes, proto });
    for (const symbol of symbolsOf(proto)) symbols.set(symbol, proto.name);
    for (const { extendee, number } of extensionsIn(proto)) {
      const type = extendee.replace(/^\./, '');
      extensions.set(type, (extensions.get(type) ?? new Map<number, string>()).set(number, proto.name));
    }
  }
  const withImports = (
    name: string,
    seen: Set<string>,
  ): { readonly name: string; readonly bytes: Uint8Array }[] => {
    const file = files.get(name);
    if (!file || seen.has(name)) return [];
    seen.add(name);
    return [
      { name, bytes: file.bytes },
      ...file.proto.dependency.flatMap((needed) => withImports(needed, seen)),
    ];
  };
  return {
    fileNamed: (name) => (files.has(name) ? withImports(name, new Set()) : undefined),
    fileOfSymbol: (symbol) => symbols.get(symbol),
    fileOfExtension: (type, number) => extensions.get(type)?.get(number),
    extensionsOf: (type) => [...(extensions.get(type)?.keys() ?? [])].sort((a, b) => a - b),
  };
};
