import { createHash } from 'node:crypto';
import {
  fromBinary,
  fromJson,
  ScalarType,
  toBinary,
  toJson,
  type DescMethod,
  type JsonValue,
} from '@bufbuild/protobuf';
import {
  grpcChannel,
  grpcServer,
  type GrpcChannel,
  type GrpcServer,
  type RpcError,
} from '@doska/adapters-grpc';
import { httpServer, type HttpServer } from '@doska/adapters-http';
import { type Binding, bindingsOf, nameOf, randomJson, readRegistry } from '@doska/adapters-http/testing';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import type { MethodDefinition, RpcService } from '@doska/adapters-rpc';
import { Tokens } from '@doska/app-composition';
import { invalidInput, silentTelemetry, unavailable, type Access } from '@doska/core/kernel';
import { realClock, seededRandom, type SeededRandom } from '@doska/core/kernel/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { err, ok, type Result } from 'neverthrow';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { apps } from './apps.ts';
import { httpInput, withoutEmpty } from './testing/http-request.ts';
import { runningPlatform, type RunningPlatform } from './testing/running-platform.ts';

/**
 * The services of all apps with their real access and errors, and with handlers that make an answer or an error out of
 * the request alone. Served by gRPC and by HTTP at once, both must say the same.
 */
const EACH = process.env['DOSKA_TEST_LONG'] ? 1_000 : 40;
const { bindings } = bindingsOf(readRegistry(descriptorSet));
const LISTEN = { host: '127.0.0.1', port: 0, whenBusy: 'refuse' } as const;

let platform: RunningPlatform;
let services: readonly RpcService[];
let grpc: GrpcServer;
let http: HttpServer;
const channels = new Map<string, GrpcChannel>();

const hashOf = (bytes: Uint8Array): number => createHash('sha256').update(bytes).digest().readUInt32LE();
type Outcome = Result<unknown, { readonly kind: string }>;
const outcomes = (
  service: RpcService,
  desc: DescMethod,
  method: MethodDefinition,
  request: unknown,
): Outcome[] => {
  const random = seededRandom(hashOf(method.requestType.encode(request).finish()));
  const answer = (): Outcome => {
    const json = randomJson(desc.output, random);
    return ok(method.responseType.decode(toBinary(desc.output, fromJson(desc.output, json))));
  };
  const kinds = Object.keys(service.errors);
  const failures = [
    () => ({ kind: kinds[random.below(kinds.length)] ?? 'NotMapped', message: 'words\nof an "error"' }),
    () => invalidInput({ path: 'a.b[1]', code: 'Wrong', message: 'it is wrong' }),
    () => unavailable('a store', new Error('a secret'), random.chance(0.5)),
    () => ({ kind: 'NotMapped' }),
  ];
  const last = random.chance(0.5) ? answer() : err(failures[random.below(failures.length)]!());
  return method.responseStream ? [...Array.from({ length: random.below(4) }, answer), last] : [last];
};
const stubbed = (service: RpcService): RpcService => ({
  ...service,
  http: {},
  handlers: Object.fromEntries(
    Object.entries(service.definition.methods).map(([key, method]) => {
      const desc = bindings.find(
        ({ method: one }) => one.parent.typeName === service.definition.fullName && one.name === method.name,
      )?.method;
      const all = (request: unknown): Outcome[] =>
        desc ? outcomes(service, desc, method, request) : [err({ kind: 'NotMapped' })];
      if (!method.responseStream) return [key, async (request: unknown) => all(request)[0]!];
      return [
        key,
        async function* (request: unknown) {
          yield* all(request);
        },
      ];
    }),
  ),
});

beforeAll(async () => {
  platform = await runningPlatform('parity', await freshDatabase(), {
    DOSKA_CATALOG_RATE_PER_MINUTE: '1000000',
    DOSKA_GOST_SESSIONS_PER_MINUTE: '1000000',
    DOSKA_SEARCH_RATE_PER_MINUTE: '1000000',
  });
  const { container } = platform.host;
  services = apps.flatMap((app) => app.services?.(container) ?? []).map(stubbed);
  const shared = {
    listen: LISTEN,
    authenticator: container.get(Tokens.authenticator),
    clock: realClock,
    ids: container.get(Tokens.ids),
    telemetry: silentTelemetry,
  };
  grpc = (await grpcServer({ ...shared, services }))._unsafeUnwrap();
  http = (await httpServer({ ...shared, routes: [], json: { services, descriptorSet } }))._unsafeUnwrap();
});
afterAll(async () => {
  for (const channel of channels.values()) channel.close();
  await Promise.all([grpc?.stop(500), http?.stop(500)]);
  await platform?.stop();
});

/** What a caller is told, whatever the transport: messages as canonical bytes, an error by kind and violations. */
type Told = { readonly messages: readonly string[]; readonly error?: { kind: string; violations?: unknown } };
const canonical = (desc: DescMethod, bytes: Uint8Array): string =>
  JSON.stringify(toJson(desc.output, fromBinary(desc.output, bytes), { alwaysEmitImplicit: true }));

const channelOf = (token: string): GrpcChannel => {
  const known = channels.get(token);
  if (known) return known;
  const target = `127.0.0.1:${grpc.port}`;
  const channel = grpcChannel({ target, clock: realClock, ...(token === '' ? {} : { token }) });
  channels.set(token, channel);
  return channel;
};
const kindOf = (error: RpcError): string => {
  if (error.kind === 'Rejected') return error.reason;
  // The client does not tell apart what it can't do anything about.
  return error.kind === 'Unavailable' && !error.retryable ? 'Internal' : error.kind;
};
const byGrpc = async (binding: Binding, json: JsonValue, token: string): Promise<Told> => {
  const { method: desc } = binding;
  const { definition } = services.find((one) => one.definition.fullName === desc.parent.typeName)!;
  const [key, method] = Object.entries(definition.methods).find(([, one]) => one.name === desc.name)!;
  const request = method.requestType.decode(toBinary(desc.input, fromJson(desc.input, json)));
  const client = channelOf(token).client(definition) as Record<string, (request: unknown) => unknown>;
  const messages: string[] = [];
  const results = method.responseStream
    ? (client[key]!(request) as AsyncIterable<Result<unknown, RpcError>>)
    : [await (client[key]!(request) as Promise<Result<unknown, RpcError>>)];
  for await (const result of results) {
    if (result.isOk()) messages.push(canonical(desc, method.responseType.encode(result.value).finish()));
    else {
      const { error } = result;
      const violations = error.kind === 'InvalidInput' ? { violations: error.violations } : {};
      return { messages, error: { kind: kindOf(error), ...violations } };
    }
  }
  return { messages };
};
type HttpProblem = { readonly kind: string; readonly status: number; readonly violations?: unknown };
const byHttp = async (binding: Binding, json: JsonValue, token: string): Promise<Told> => {
  const { path, ...init } = httpInput(binding, json as never);
  const answer = await fetch(`http://127.0.0.1:${http.port}${path}`, {
    ...init,
    headers: {
      ...(token === '' ? {} : { authorization: `Bearer ${token}` }),
      ...(init.body === undefined ? {} : { 'content-type': 'application/json' }),
    },
  });
  const text = await answer.text();
  const told = ({ kind, status, violations }: HttpProblem) => ({
    kind: status === 500 ? 'Internal' : kind,
    ...(violations ? { violations } : {}),
  });
  if (answer.status !== 200) return { messages: [], error: told(JSON.parse(text) as HttpProblem) };
  const { method: desc } = binding;
  const messages: string[] = [];
  for (const line of text
    .trimEnd()
    .split('\n')
    .filter((one) => one !== '')) {
    const value = JSON.parse(line) as JsonValue & { readonly error?: HttpProblem };
    if (desc.methodKind === 'server_streaming' && value.error) return { messages, error: told(value.error) };
    messages.push(canonical(desc, toBinary(desc.output, fromJson(desc.output, value))));
  }
  return { messages };
};

/** A text that can stand in a path. */
const SEGMENTS = ['ann', '8RJZFJ2NR8BXW', 'я', 'a b', 'a:hide', '100%', 'a+b', '%2F', 'x'.repeat(200)];
const inputOf = (binding: Binding, random: SeededRandom): JsonValue => {
  const json = randomJson(binding.method.input, random, (field, by) => {
    if (!binding.inPath.includes(field)) return undefined;
    return field.scalar === ScalarType.STRING
      ? SEGMENTS[by.below(SEGMENTS.length)]!
      : String(by.below(1_000));
  });
  return binding.body === '*' ? json : withoutEmpty(json);
};
const allowedRole = (access: Access): string => {
  if (!('roles' in access)) return '';
  const [role] = access.roles;
  return role === 'service' || role === 'operator' ? role : `${role}:ann`;
};
const accessOf = ({ method }: Binding): Access => {
  const { definition, access } = services.find((one) => one.definition.fullName === method.parent.typeName)!;
  return access[Object.entries(definition.methods).find(([, one]) => one.name === method.name)![0]]!;
};
const titleOf = ({ method, verb, template }: Binding): string =>
  `${nameOf(method)} (${verb} ${template.text})`;

test('[H2] every route belongs to a service that an app registers', () => {
  const registered = new Set(services.map(({ definition }) => definition.fullName));
  for (const { method } of bindings) expect(registered).toContain(method.parent.typeName);
});
test.each(bindings.map((binding) => [titleOf(binding), binding] as const))(
  '[H2] [H3] gRPC and JSON give the same answers and errors for %s',
  async (_, binding) => {
    const random = seededRandom(hashOf(Buffer.from(titleOf(binding))));
    const token = await platform.tokenOf(allowedRole(accessOf(binding)));
    const seen = { answers: 0, errors: 0 };
    for (let i = 0; i < EACH; i++) {
      const json = inputOf(binding, random);
      const [one, other] = await Promise.all([byGrpc(binding, json, token), byHttp(binding, json, token)]);
      expect(other, JSON.stringify(json)).toEqual(one);
      if (one.error) seen.errors++;
      else seen.answers++;
    }
    // A request with one possible input has one possible outcome.
    if (binding.method.input.fields.length > 1)
      expect(Math.min(seen.answers, seen.errors)).toBeGreaterThan(0);
  },
);

const ROLES = ['none', 'wrong', '', 'anonymous:a', 'seller:ann', 'service', 'operator', 'publisher:ann'];
const decisionOf = ({ error }: Told): string =>
  error?.kind === 'Unauthenticated' || error?.kind === 'PermissionDenied' ? error.kind : 'admitted';
test('[H2] role × method × transport: gRPC and HTTP let the same callers in, as the access says', async () => {
  for (const binding of bindings)
    for (const role of ROLES) {
      const token = role === 'none' ? '' : role === 'wrong' ? 'wrong' : await platform.tokenOf(role);
      const json = withoutEmpty(inputOf(binding, seededRandom(1)) as never);
      const decisions = await Promise.all([byGrpc(binding, json, token), byHttp(binding, json, token)]);
      const access = accessOf(binding);
      const isStranger = role === 'none' || role === 'wrong';
      const expected =
        'roles' in access
          ? isStranger
            ? 'Unauthenticated'
            : access.roles.some((name) => role.split(':')[0] === name)
              ? 'admitted'
              : 'PermissionDenied'
          : role === 'wrong'
            ? expect.stringMatching(/^(admitted|Unauthenticated)$/)
            : 'admitted';
      const [one, other] = decisions.map(decisionOf);
      expect(one, `${titleOf(binding)} as "${role}" by gRPC`).toEqual(expected);
      expect(other, `${titleOf(binding)} as "${role}" by HTTP`).toBe(one);
    }
});
