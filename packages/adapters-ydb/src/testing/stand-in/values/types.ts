import { Ydb } from 'ydb-sdk-proto';
import type { TypeSyntax } from '../syntax/ast.ts';
import { YqlError } from '../yql-error.ts';

const { PrimitiveTypeId } = Ydb.Type;
/** What can be stored and computed with here; YDB has more, and those are refused. */
export const PRIMITIVE_IDS = {
  Bool: PrimitiveTypeId.BOOL,
  Uint8: PrimitiveTypeId.UINT8,
  Int32: PrimitiveTypeId.INT32,
  Uint32: PrimitiveTypeId.UINT32,
  Int64: PrimitiveTypeId.INT64,
  Uint64: PrimitiveTypeId.UINT64,
  Double: PrimitiveTypeId.DOUBLE,
  Timestamp: PrimitiveTypeId.TIMESTAMP,
  Interval: PrimitiveTypeId.INTERVAL,
  String: PrimitiveTypeId.STRING,
  Utf8: PrimitiveTypeId.UTF8,
} as const;
export type PrimitiveName = keyof typeof PRIMITIVE_IDS;

export type Primitive = { readonly kind: 'primitive'; readonly name: PrimitiveName };
export type YqlType =
  | Primitive
  | { readonly kind: 'optional'; readonly item: YqlType }
  | { readonly kind: 'list'; readonly item: YqlType }
  | { readonly kind: 'struct'; readonly members: readonly (readonly [name: string, type: YqlType])[] }
  | { readonly kind: 'tuple'; readonly items: readonly YqlType[] }
  /** Of the word NULL. */
  | { readonly kind: 'null' };

export const primitive = (name: PrimitiveName): Primitive => ({ kind: 'primitive', name });
export const optional = (item: YqlType): YqlType =>
  item.kind === 'optional' || item.kind === 'null' ? item : { kind: 'optional', item };
export const bare = (type: YqlType): YqlType => (type.kind === 'optional' ? bare(type.item) : type);
export const isOptional = (type: YqlType): boolean => type.kind === 'optional' || type.kind === 'null';

/** As YDB writes it in its messages. Members of a struct have an order of their own: by name. */
export const typeText = (type: YqlType): string => {
  switch (type.kind) {
    case 'primitive':
      return type.name;
    case 'optional':
      return `Optional<${typeText(type.item)}>`;
    case 'list':
      return `List<${typeText(type.item)}>`;
    case 'tuple':
      return `Tuple<${type.items.map(typeText).join(',')}>`;
    case 'struct': {
      const members = [...type.members].sort(([a], [b]) => (a < b ? -1 : 1));
      return `Struct<${members.map(([name, member]) => `'${name}':${typeText(member)}`).join(',')}>`;
    }
    case 'null':
      return 'Null';
  }
};
export const sameType = (a: YqlType, b: YqlType): boolean => typeText(a) === typeText(b);

const primitiveNamed = (name: string): Primitive => {
  if (!Object.hasOwn(PRIMITIVE_IDS, name)) throw YqlError.unsupported(`type ${name}`);
  return primitive(name as PrimitiveName);
};
export const typeFromSyntax = (syntax: TypeSyntax): YqlType => {
  switch (syntax.kind) {
    case 'primitive':
      return primitiveNamed(syntax.name);
    case 'optional':
      return { kind: 'optional', item: typeFromSyntax(syntax.item) };
    case 'list':
      return { kind: 'list', item: typeFromSyntax(syntax.item) };
    case 'tuple':
      return { kind: 'tuple', items: syntax.items.map(typeFromSyntax) };
    case 'struct':
      return { kind: 'struct', members: syntax.members.map(([name, type]) => [name, typeFromSyntax(type)]) };
    case 'decimal':
      throw YqlError.unsupported('type Decimal');
  }
};

export const typeFromProto = (type: Ydb.IType | null | undefined): YqlType => {
  if (type?.typeId) {
    const found = Object.entries(PRIMITIVE_IDS).find(([, id]) => id === type.typeId);
    if (!found) throw YqlError.unsupported(`type ${PrimitiveTypeId[type.typeId]}`);
    return primitive(found[0] as PrimitiveName);
  }
  if (type?.optionalType) return { kind: 'optional', item: typeFromProto(type.optionalType.item) };
  if (type?.listType) return { kind: 'list', item: typeFromProto(type.listType.item) };
  if (type?.tupleType) return { kind: 'tuple', items: (type.tupleType.elements ?? []).map(typeFromProto) };
  if (type?.structType) {
    const members = (type.structType.members ?? []).map(
      (one) => [one.name ?? '', typeFromProto(one.type)] as const,
    );
    return { kind: 'struct', members };
  }
  throw YqlError.unsupported(`type ${JSON.stringify(type)}`);
};
export const typeToProto = (type: YqlType): Ydb.IType => {
  switch (type.kind) {
    case 'primitive':
      return { typeId: PRIMITIVE_IDS[type.name] };
    case 'optional':
      return { optionalType: { item: typeToProto(type.item) } };
    case 'list':
      return { listType: { item: typeToProto(type.item) } };
    case 'tuple':
      return { tupleType: { elements: type.items.map(typeToProto) } };
    case 'struct':
      return {
        structType: { members: type.members.map(([name, one]) => ({ name, type: typeToProto(one) })) },
      };
    case 'null':
      return { nullType: 0 };
  }
};
