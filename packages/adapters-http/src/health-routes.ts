import type { Eventually } from '@doska/adapters-rpc';
import { sleep, type Access, type Clock } from '@doska/core/kernel';
import { ok } from 'neverthrow';
import type { Answer } from './openapi/open-api.ts';
import type { RouteDocs } from './openapi/written-operation.ts';
import type { HttpReply, HttpRoute } from './route.ts';

/** A sentence for the reader of `/readyz`. It must hold no secret. */
export type NotReady = { readonly kind: 'NotReady'; readonly reason: string };
export const notReady = (reason: string): NotReady => ({ kind: 'NotReady', reason });

/** Succeeds if what it checks works. The reply shows only the reason of a `NotReady`, never another error. */
export type ReadinessCheck = () => Eventually<unknown, unknown>;
export type FailedCheck = { readonly name: string; readonly reason?: string };
export type HealthOptions = {
  readonly clock: Clock;
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
  readonly checkMsMax: number;
  readonly stopping: () => boolean;
  readonly metrics?: {
    readonly text: () => Promise<string>;
    readonly contentType: string;
    /** Operators only, unless said otherwise. */
    readonly access?: Access;
  };
};

/** A probe that is refused would take a healthy process out of service. */
const everyone: Access = { public: { ratePerMinute: Number.POSITIVE_INFINITY } };

const isNotReady = (error: unknown): error is NotReady =>
  typeof error === 'object' && error !== null && (error as NotReady).kind === 'NotReady';

const ask = async (name: string, check: ReadinessCheck): Promise<readonly FailedCheck[]> => {
  try {
    return (await check()).match(
      () => [],
      (error) => [isNotReady(error) ? { name, reason: error.reason } : { name }],
    );
  } catch {
    return [{ name }];
  }
};

/** The checks that failed or took too long. Calls at the same time share one run: probes can't be used as a flood. */
export const readinessOf = ({
  readiness,
  clock,
  checkMsMax,
}: Pick<HealthOptions, 'readiness' | 'clock' | 'checkMsMax'>): (() => Promise<readonly FailedCheck[]>) => {
  let running: Promise<readonly FailedCheck[]> | undefined;
  const run = async (): Promise<readonly FailedCheck[]> => {
    const outcomes = Object.entries(readiness).map(async ([name, check]) => {
      const late = new AbortController();
      const timeout = sleep(clock, checkMsMax, late.signal).then((): readonly FailedCheck[] => [
        { name, reason: `no answer within ${checkMsMax} ms` },
      ]);
      const failed = await Promise.race([ask(name, check), timeout]);
      late.abort();
      return failed;
    });
    return (await Promise.all(outcomes)).flat();
  };
  return () => (running ??= run().finally(() => (running = undefined)));
};

const unready = (failed: readonly FailedCheck[]): HttpReply => ({
  status: 503,
  contentType: 'application/problem+json',
  content: JSON.stringify({
    type: 'urn:doska:problem:NotReady',
    title: 'Service Unavailable',
    status: 503,
    kind: 'NotReady',
    failed: failed.map(({ name }) => name),
    reasons: Object.fromEntries(
      failed.flatMap(({ name, reason }) => (reason === undefined ? [] : [[name, reason]])),
    ),
  }),
});

const stateAnswer = (description: string, state: string): Answer => ({
  description,
  content: {
    'application/json': {
      schema: { type: 'object', required: ['status'], properties: { status: { type: 'string' } } },
      example: { status: state },
    },
  },
});
const ALIVE: RouteDocs = {
  id: 'getHealth',
  tag: 'Platform',
  summary: 'Whether the process answers',
  answers: { 200: stateAnswer('It does.', 'alive') },
};
const READY: RouteDocs = {
  id: 'getReadiness',
  tag: 'Platform',
  summary: 'Whether everything that the process needs answers too',
  answers: {
    200: stateAnswer('It does.', 'ready'),
    503: {
      description: 'It does not. `failed` names the checks, `reasons` says why.',
      content: { 'application/problem+json': { schema: { $ref: '#/components/schemas/Problem' } } },
    },
  },
};
const METRICS: RouteDocs = {
  id: 'getMetrics',
  tag: 'Platform',
  summary: 'Metrics for Prometheus',
  answers: {
    200: {
      description: 'The text format of Prometheus.',
      content: { 'text/plain': { schema: { type: 'string' } } },
    },
  },
};

/** Alive: the process answers. Ready: everything it needs answers too, and it is not about to stop. */
export const healthRoutes = (options: HealthOptions): readonly HttpRoute[] => {
  const check = readinessOf(options);
  const { metrics } = options;
  const get = (
    path: string,
    access: Access,
    docs: RouteDocs,
    reply: () => Promise<HttpReply>,
  ): HttpRoute => ({
    method: 'GET',
    path,
    access,
    docs,
    handle: async () => ok(await reply()),
  });
  return [
    get('/healthz', everyone, ALIVE, async () => ({ status: 200, json: { status: 'alive' } })),
    get('/readyz', everyone, READY, async () => {
      const failed = options.stopping() ? [{ name: 'stopping' }] : await check();
      return failed.length === 0 ? { status: 200, json: { status: 'ready' } } : unready(failed);
    }),
    ...(metrics
      ? [
          get('/metrics', metrics.access ?? { roles: ['operator'] }, METRICS, async () => ({
            status: 200,
            contentType: metrics.contentType,
            content: await metrics.text(),
          })),
        ]
      : []),
  ];
};
