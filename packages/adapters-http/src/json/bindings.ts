import {
  createFileRegistry,
  fromBinary,
  getExtension,
  hasExtension,
  type DescField,
  type DescMessage,
  type DescMethod,
  type FileRegistry,
} from '@bufbuild/protobuf';
import { FileDescriptorSetSchema } from '@bufbuild/protobuf/wkt';
import { collide, parseTemplate, type Template } from './template.ts';

export type HttpVerb = 'GET' | 'PUT' | 'POST' | 'PATCH' | 'DELETE';
/** One route of one method. */
export type Binding = {
  readonly method: DescMethod;
  readonly verb: HttpVerb;
  readonly template: Template;
  /** What the body is: the whole request, one field of it, or nothing. */
  readonly body: '*' | DescField | undefined;
  /** Fields that stand in the path. */
  readonly inPath: readonly DescField[];
};
/** The routes of all contracts. `problems` are sentences; with one of them nothing is served. */
export type Bindings = { readonly bindings: readonly Binding[]; readonly problems: readonly string[] };

/** `google.api.HttpRule`, as far as it is read. */
type HttpRule = {
  readonly pattern: { readonly case?: string; readonly value?: unknown };
  readonly body: string;
  readonly additionalBindings: readonly HttpRule[];
};

export const readRegistry = (descriptorSet: Uint8Array): FileRegistry =>
  createFileRegistry(fromBinary(FileDescriptorSetSchema, descriptorSet));

/** All methods of the services whose packages are ours. */
export const methodsOf = (registry: FileRegistry): readonly DescMethod[] =>
  [...registry.files]
    .filter(({ proto }) => !proto.package.startsWith('google.'))
    .flatMap(({ services }) => services.flatMap(({ methods }) => methods));
export const nameOf = (method: DescMethod): string => `${method.parent.typeName}/${method.name}`;

export const fieldNamed = (message: DescMessage, name: string): DescField | undefined =>
  message.fields.find((field) => field.name === name || field.jsonName === name);

/** What a query can say of a field: scalars, lists of them, and fields of messages by dots. */
export const fitsQuery = (field: DescField): boolean => {
  if (field.fieldKind === 'map') return false;
  if (field.fieldKind === 'list') return field.listKind !== 'message';
  if (field.fieldKind !== 'message' || field.message.typeName.startsWith('google.protobuf.')) return true;
  return field.message.fields.every(fitsQuery);
};

const VERBS: readonly string[] = ['get', 'put', 'post', 'patch', 'delete'];

const bindingOf = (method: DescMethod, rule: HttpRule): Binding | string => {
  const { case: verb = '', value: path } = rule.pattern;
  if (!VERBS.includes(verb) || typeof path !== 'string') return 'a pattern that is not supported';
  const template = parseTemplate(path);
  if (template.isErr()) return template.error;
  const inPath: DescField[] = [];
  for (const segment of template.value.segments) {
    if (!('variable' in segment)) continue;
    const field = method.input.fields.find(({ name }) => name === segment.variable);
    if (!field) return `${path} names ${segment.variable}, which ${method.input.typeName} does not have`;
    if (field.fieldKind !== 'scalar' && field.fieldKind !== 'enum')
      return `${path}: ${field.name} is not a single value`;
    inPath.push(field);
  }
  const body = rule.body === '*' ? '*' : method.input.fields.find(({ name }) => name === rule.body);
  if (rule.body !== '' && body === undefined) return `the body ${rule.body} is not a field of the request`;
  if (body !== undefined && (verb === 'get' || verb === 'delete')) return `${verb} has a body`;
  if (method.methodKind === 'client_streaming' || method.methodKind === 'bidi_streaming')
    return 'a method with a stream of requests can not have a route';
  const lost =
    body === '*'
      ? undefined
      : method.input.fields.find((field) => field !== body && !inPath.includes(field) && !fitsQuery(field));
  if (lost) return `${path}: ${lost.name} fits neither the path nor the query`;
  return { method, verb: verb.toUpperCase() as HttpVerb, template: template.value, body, inPath };
};

const collisionsOf = (bindings: readonly Binding[]): string[] =>
  bindings.flatMap((one, i) =>
    bindings
      .slice(i + 1)
      .filter((other) => one.verb === other.verb && collide(one.template, other.template))
      .map(
        (other) =>
          `${nameOf(one.method)} and ${nameOf(other.method)} collide: ${one.verb} ${one.template.text} and ${other.template.text}`,
      ),
  );

/** Reads `google.api.http` of every method. `grpcOnly` has a reason for each method that has no route on purpose. */
export const bindingsOf = (registry: FileRegistry, grpcOnly?: Readonly<Record<string, string>>): Bindings => {
  const http = registry.getExtension('google.api.http');
  const bindings: Binding[] = [];
  const problems: string[] = [];
  for (const method of methodsOf(registry)) {
    const name = nameOf(method);
    const { options } = method.proto;
    if (!http || !options || !hasExtension(options, http)) {
      if (grpcOnly && !grpcOnly[name])
        problems.push(`${name} has no route, and no reason why it is gRPC only`);
      continue;
    }
    if (grpcOnly?.[name]) problems.push(`${name} has a route, but is listed as gRPC only`);
    const rule = getExtension(options, http) as HttpRule;
    for (const one of [rule, ...rule.additionalBindings]) {
      const binding = bindingOf(method, one);
      if (typeof binding === 'string') problems.push(`${name}: ${binding}`);
      else bindings.push(binding);
    }
  }
  const known = new Set(methodsOf(registry).map(nameOf));
  for (const name of Object.keys(grpcOnly ?? {}))
    if (!known.has(name)) problems.push(`${name} is listed as gRPC only, but there is no such method`);
  return { bindings, problems: [...problems, ...collisionsOf(bindings)] };
};
