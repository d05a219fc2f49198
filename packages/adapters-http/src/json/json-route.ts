import {
  pathOf,
  PreparedMessage,
  streamErrors,
  type CallContext,
  type HttpHints,
  type MethodDefinition,
  type RpcService,
  type ServedMethod,
} from '@doska/adapters-rpc';
import type { SeenKit } from '../seen.ts';
import { HTTP_STATUS } from '../http-status.ts';
import { bindingsOf, readRegistry, type Binding } from './bindings.ts';
import { headerFieldsOf, type HeaderFields } from './conditions.ts';
import { bodyErrors } from './read-body.ts';
import type { Routable } from './router.ts';
import { MessageWriters, type MessageWriter } from './write-message.ts';

/** What a method answers, ready to be sent. */
export type Rendered = { readonly text: string; readonly tag: string | undefined };

/** One route of one registered method. */
export type JsonRoute = Routable & {
  readonly binding: Binding;
  readonly method: MethodDefinition;
  readonly handle: (request: unknown, call: CallContext) => unknown;
  readonly served: ServedMethod;
  readonly fields: HeaderFields;
  readonly cacheControl: string | undefined;
  /** Its answers have an ETag. */
  readonly hasVersion: boolean;
  readonly render: (answer: unknown) => Rendered;
};

/** Bytes that were encoded before are read once and kept as text, as long as the answer itself is kept. */
const renderer = (
  { responseType }: MethodDefinition,
  write: MessageWriter,
  { version }: HttpHints<unknown>,
): JsonRoute['render'] => {
  const made = new WeakMap<object, Rendered>();
  const render = (answer: unknown): Rendered => {
    const at = version?.(answer);
    return { text: write(answer), tag: at === undefined ? undefined : `"${at}"` };
  };
  return (answer) => {
    if (!(answer instanceof PreparedMessage)) return render(answer);
    const known = made.get(answer);
    if (known) return known;
    const rendered = render(responseType.decode(answer.bytes));
    made.set(answer, rendered);
    return rendered;
  };
};

const cacheControlOf = (
  { verb }: Binding,
  access: ServedMethod['access'],
  { maxAgeSec, version }: HttpHints<unknown>,
): string | undefined => {
  if (verb !== 'GET') return undefined;
  if ('public' in access && maxAgeSec !== undefined) return `public, max-age=${maxAgeSec}`;
  return version ? 'private, no-cache' : undefined;
};

type Observe = SeenKit['observe'];
const routeOf = (
  writers: MessageWriters,
  observe: Observe,
  service: RpcService,
  key: string,
  binding: Binding,
): JsonRoute => {
  const method = service.definition.methods[key]!;
  const access = service.access[key]!;
  const hints = service.http[key] ?? {};
  const { verb, template } = binding;
  const route = `${verb} ${template.text}`;
  return {
    verb,
    template,
    binding,
    method,
    handle: service.handlers[key]!,
    served: {
      path: pathOf(service.definition, method),
      access,
      errors: { ...bodyErrors, ...streamErrors, ...service.errors },
      isStream: method.responseStream,
      transport: 'http',
      msMax: service.msMax[key],
      logged: { route },
      observe: (status, ms) => observe(verb, route, status === 'OK' ? 200 : HTTP_STATUS[status], ms),
    },
    fields: headerFieldsOf(binding.method.input),
    cacheControl: cacheControlOf(binding, access, hints),
    hasVersion: hints.version !== undefined,
    render: renderer(method, writers.of(binding.method.output), hints),
  };
};

/** The routes of the registered services. A contract with a route that we can't serve is a bug: the build refuses it. */
export const jsonRoutes = (
  descriptorSet: Uint8Array,
  services: readonly RpcService[],
  observe: Observe,
): readonly JsonRoute[] => {
  const { bindings, problems } = bindingsOf(readRegistry(descriptorSet));
  if (problems.length > 0) throw new Error(`routes of the contracts: ${problems.join('; ')}`);
  const writers = new MessageWriters();
  return bindings.flatMap((binding) => {
    const { parent, name } = binding.method;
    const service = services.find(({ definition }) => definition.fullName === parent.typeName);
    const key = Object.entries(service?.definition.methods ?? {}).find(([, one]) => one.name === name)?.[0];
    return service && key !== undefined ? [routeOf(writers, observe, service, key, binding)] : [];
  });
};
