import type { IncomingMessage, ServerResponse } from 'node:http';
import type { HotKit, HotRoute } from '@doska/adapters-http';
import { mayPublish, type Access, type Caller, type Clock, type Ids, type Logger } from '@doska/core/kernel';
import {
  decodeSegment,
  languageOf,
  splitPath,
  type LoadedConfig,
  type PathParts,
  type Snippets,
  type Version,
} from '@doska/core/snippets';
import { err, ok, Result } from 'neverthrow';
import { answerBody, base64Names } from './answer.ts';
import { BULK_TYPE, serveBulk, type BulkNeeds } from './bulk.ts';
import { conditionOf, etagOf, etagOfAll, minVersionOf } from './conditions.ts';
import { problemReply, type SnippetError } from './problems.ts';
import { readContent } from './read-body.ts';
import { snippetOperations } from './route-docs.ts';

export type SnippetsRouteNeeds = BulkNeeds & {
  readonly snippets: Pick<Snippets, 'useCases'>;
  /** `/`, or a path without a slash at its end. */
  readonly path: string;
  readonly contentBytesMax: number;
  readonly readers: Access;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger: Logger;
};
type Reply = {
  readonly status: number;
  readonly headers: Record<string, string>;
  readonly body: string | Buffer;
};
type Target = {
  readonly at: LoadedConfig;
  readonly name: string;
  readonly key: string;
  readonly language: string;
};
/** A streamed answer has been written already. */
type Streamed = { readonly streamed: true; readonly status: number };
type Answer = Result<Reply | Streamed | undefined, SnippetError>;
type BulkAt = { readonly at: LoadedConfig; readonly name: string; readonly requestId: string };

const ROUTE = '/{snippet}/{key}';
const BULK_ROUTE = '/{snippet}';
const WRITERS: Access = { roles: ['publisher', 'service', 'operator'] };
const HEADERS = {
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cache-control': 'no-store',
} as const;
const JSON_TYPE = 'application/json; charset=utf-8';

const mayWrite = (caller: Caller, name: string): boolean =>
  mayPublish(caller, name) ||
  caller.roles.some((role) => role.name === 'service' || role.name === 'operator');
const written = (version: Version, snippets: readonly (readonly [string, string])[]): Reply => ({
  status: 200,
  headers: { etag: etagOf(version), 'content-type': JSON_TYPE },
  body: JSON.stringify({ version: etagOf(version).slice(1, -1), snippets: Object.fromEntries(snippets) }),
});
const isOwn = (id: string | string[] | undefined): id is string =>
  typeof id === 'string' && /^[\w.-]{1,64}$/.test(id);

/** Key and language of a path. A language in the path goes before the one in the header. */
const targetOf = (
  at: LoadedConfig,
  { name, key, language }: PathParts,
  header: string | undefined,
): Result<Target, SnippetError> =>
  Result.combine([
    decodeSegment(key, 'key'),
    language === undefined
      ? languageOf(header, 'Content-Language')
      : decodeSegment(language, 'language').andThen((text) => languageOf(text, 'language')),
  ]).map(([decoded, tag]) => ({ at, name, key: decoded, language: tag }));

class Serving {
  readonly #needs: SnippetsRouteNeeds;
  constructor(needs: SnippetsRouteNeeds) {
    this.#needs = needs;
  }
  async get(request: IncomingMessage, target: Target, query: string): Promise<Answer> {
    const minVersion = minVersionOf(query);
    if (minVersion.isErr()) return err(minVersion.error);
    const asked = minVersion.value ? { ...target, minVersion: minVersion.value } : target;
    const found = await this.#needs.snippets.useCases.get(asked);
    return found.map((snippets) => {
      const etag = etagOfAll(snippets);
      if (request.headers['if-none-match'] === etag) return { status: 304, headers: { etag }, body: '' };
      const encoded = base64Names(snippets);
      const headers: Record<string, string> = { etag, 'content-type': JSON_TYPE };
      if (encoded.length > 0) headers['doska-base64'] = encoded.join(', ');
      return { status: 200, headers, body: answerBody(snippets) };
    });
  }
  async put(request: IncomingMessage, target: Target): Promise<Answer> {
    const { contentBytesMax, snippets } = this.#needs;
    const condition = conditionOf(request.headers);
    if (condition.isErr()) return err(condition.error);
    const bytes = await readContent(request, contentBytesMax);
    if (bytes.isErr()) return err(bytes.error);
    if (!bytes.value) return ok(undefined);
    const stored = await snippets.useCases.put({
      ...target,
      type: { contentType: request.headers['content-type'] },
      bytes: bytes.value,
      ...(condition.value ? { condition: condition.value } : {}),
    });
    return stored.map(({ version, names }) =>
      written(
        version,
        names.map((name) => [name, 'stored']),
      ),
    );
  }
  async remove(request: IncomingMessage, target: Target): Promise<Answer> {
    const condition = conditionOf(request.headers);
    if (condition.isErr()) return err(condition.error);
    const command = condition.value ? { ...target, condition: condition.value } : target;
    const removed = await this.#needs.snippets.useCases.remove(command);
    return removed.map(({ version, leaves }) =>
      written(
        version,
        leaves.map(({ name, outcome }) => [name, outcome]),
      ),
    );
  }
  async bulk(
    request: IncomingMessage,
    response: ServerResponse,
    kit: HotKit,
    target: BulkAt,
  ): Promise<Answer> {
    const caller = await kit.admit(request, `POST ${BULK_ROUTE}`, WRITERS);
    if (caller.isErr()) return err(caller.error);
    if (!mayWrite(caller.value, target.name)) return err({ kind: 'NotYours', name: target.name });
    const { 'content-length': length, 'content-encoding': encoding = 'identity' } = request.headers;
    if (encoding !== 'identity') return err({ kind: 'UnsupportedEncoding' });
    const { bulkBytesMax } = this.#needs;
    if (Number(length ?? 0) > bulkBytesMax)
      return err({ kind: 'TooLarge', what: 'the body', bytesMax: bulkBytesMax });
    response.writeHead(200, { ...HEADERS, 'content-type': BULK_TYPE, 'x-request-id': target.requestId });
    return ok({ streamed: true, status: await serveBulk(this.#needs, request, response, kit, target) });
  }
  async answer(
    request: IncomingMessage,
    at: LoadedConfig,
    parts: PathParts,
    query: string,
    kit: HotKit,
  ): Promise<Answer> {
    const { method } = request;
    const isRead = method === 'GET' || method === 'HEAD';
    if (!isRead && method !== 'PUT' && method !== 'DELETE') return err({ kind: 'MethodNotAllowed' });
    const caller = await kit.admit(
      request,
      `${isRead ? 'GET' : method} ${ROUTE}`,
      isRead ? this.#needs.readers : WRITERS,
    );
    if (caller.isErr()) return err(caller.error);
    const { name } = parts;
    if (!isRead && !mayWrite(caller.value, name)) return err({ kind: 'NotYours', name });
    // A read names its language in the path; a header of a read speaks of an answer.
    const target = targetOf(at, parts, isRead ? undefined : request.headers['content-language']);
    if (target.isErr()) return err(target.error);
    if (isRead) return this.get(request, target.value, query);
    return method === 'PUT' ? this.put(request, target.value) : this.remove(request, target.value);
  }
}

const send = (request: IncomingMessage, response: ServerResponse, requestId: string, reply: Reply): void => {
  if (response.headersSent || response.destroyed) return;
  const headers: Record<string, string> = { ...HEADERS, ...reply.headers, 'x-request-id': requestId };
  if (reply.status !== 304) headers['content-length'] = String(Buffer.byteLength(reply.body));
  // The rest of a body that was refused is not read.
  if (!request.complete) headers['connection'] = 'close';
  response.writeHead(reply.status, headers).end(request.method === 'HEAD' ? undefined : reply.body);
};

/** Serves snippets below a path. At `/` it takes only paths that begin with a configured name. */
export const snippetsRoute = (needs: SnippetsRouteNeeds): HotRoute => {
  const { snippets, path, clock, ids, logger } = needs;
  const serving = new Serving(needs);
  const prefix = path === '/' ? '/' : `${path}/`;

  const serve = async (
    request: IncomingMessage,
    response: ServerResponse,
    kit: HotKit,
    name: string,
    work: (requestId: string) => Promise<Answer>,
  ): Promise<void> => {
    const startMs = clock.nowMs();
    const given = request.headers['x-request-id'];
    const requestId = isOwn(given) ? given : ids.next();
    const refuse = (error: SnippetError): Reply => {
      if (error.kind === 'PartFailed')
        logger.error('a part of a snippet section failed', { requestId, error });
      if (error.kind === 'Unavailable') logger.warn('the snippet store is unavailable', { requestId, error });
      return problemReply(error, requestId);
    };
    let reply: Reply | Streamed | undefined;
    try {
      const answer = await work(requestId);
      reply = answer.isOk() ? answer.value : refuse(answer.error);
    } catch (error) {
      logger.error('a snippet request failed', { requestId, error });
      reply = problemReply({ kind: 'PartFailed', section: '', what: 'internal' }, requestId);
    }
    if (!reply) response.destroy();
    else if (!('streamed' in reply)) send(request, response, requestId, reply);
    kit.observe(request.method ?? '', name, reply?.status ?? 499, clock.nowMs() - startMs);
  };
  const bounded = async (kit: HotKit, work: () => Promise<Answer>): Promise<Answer> => {
    if (!kit.inFlight.enter()) return err({ kind: 'Overloaded' });
    try {
      return await work();
    } finally {
      kit.inFlight.leave();
    }
  };

  const route: HotRoute = (request, response, kit) => {
    const { url = '', method } = request;
    if (!url.startsWith(prefix)) return false;
    const mark = url.indexOf('?');
    const rest = mark < 0 ? url.slice(prefix.length) : url.slice(prefix.length, mark);
    const query = mark < 0 ? '' : url.slice(mark + 1);
    // The whole request works with the config that its path was split by.
    const at = snippets.useCases.current();
    if (method === 'POST' && at.config.sections.has(rest)) {
      void serve(request, response, kit, BULK_ROUTE, (requestId) =>
        bounded(kit, () => serving.bulk(request, response, kit, { at, name: rest, requestId })),
      );
      return true;
    }
    const parts = splitPath((name) => at.config.sections.has(name), rest, method !== 'PUT');
    if (!parts && path === '/') return false;
    void serve(request, response, kit, ROUTE, async () =>
      parts
        ? bounded(kit, () => serving.answer(request, at, parts, query, kit))
        : err({ kind: 'UnknownSection', name: rest }),
    );
    return true;
  };
  return Object.assign(route, {
    msMax: needs.bulkMs,
    serves: snippetOperations(needs.readers, WRITERS, path === '/' ? '' : path),
  });
};
