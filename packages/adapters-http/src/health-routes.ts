import { sleep, type Access, type Clock } from '@doska/core/kernel';
import { ok } from 'neverthrow';
import type { Eventually, HttpReply, HttpRoute } from './route.ts';

/** Fine, or not; why not is for the log of whoever checks. */
export type ReadinessCheck = () => Eventually<unknown, unknown>;
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

const passes = async (check: ReadinessCheck): Promise<boolean> => {
  try {
    return (await check()).isOk();
  } catch {
    return false;
  }
};

/** Names of the checks that failed or took too long. Requests at the same time share one run: probes can't be used as a flood. */
const failing = ({ readiness, clock, checkMsMax }: HealthOptions): (() => Promise<readonly string[]>) => {
  let running: Promise<readonly string[]> | undefined;
  const run = async (): Promise<readonly string[]> => {
    const outcomes = Object.entries(readiness).map(async ([name, check]) => {
      const late = new AbortController();
      const timeout = sleep(clock, checkMsMax, late.signal).then(() => false);
      const passed = await Promise.race([passes(check), timeout]);
      late.abort();
      return passed ? [] : [name];
    });
    return (await Promise.all(outcomes)).flat();
  };
  return () => (running ??= run().finally(() => (running = undefined)));
};

const unready = (failed: readonly string[]): HttpReply => ({
  status: 503,
  contentType: 'application/problem+json',
  content: JSON.stringify({
    type: 'urn:doska:problem:NotReady',
    title: 'Service Unavailable',
    status: 503,
    kind: 'NotReady',
    failed,
  }),
});

/** Alive: the process answers. Ready: everything it needs answers too, and it is not about to stop. */
export const healthRoutes = (options: HealthOptions): readonly HttpRoute[] => {
  const check = failing(options);
  const { metrics } = options;
  const get = (path: string, access: Access, reply: () => Promise<HttpReply>): HttpRoute => ({
    method: 'GET',
    path,
    access,
    handle: async () => ok(await reply()),
  });
  return [
    get('/healthz', everyone, async () => ({ status: 200, json: { status: 'alive' } })),
    get('/readyz', everyone, async () => {
      const failed = options.stopping() ? ['stopping'] : await check();
      return failed.length === 0 ? { status: 200, json: { status: 'ready' } } : unready(failed);
    }),
    ...(metrics
      ? [
          get('/metrics', metrics.access ?? { roles: ['operator'] }, async () => ({
            status: 200,
            contentType: metrics.contentType,
            content: await metrics.text(),
          })),
        ]
      : []),
  ];
};
