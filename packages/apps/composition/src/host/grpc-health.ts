import type { GrpcServer } from '@doska/adapters-grpc';
import { defaultHttpLimits, readinessOf, type ReadinessCheck } from '@doska/adapters-http';
import { sleep, type Clock } from '@doska/core/kernel';

type Options = {
  /** The full names of the services that the server has. */
  readonly services: readonly string[];
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
  readonly everyMs: number;
  readonly clock: Clock;
};

/** Keeps gRPC health equal to `/readyz`. The first check is done when this resolves. Returns what ends it. */
export const followReadiness = async (
  server: Pick<GrpcServer, 'setServing'>,
  { services, readiness, everyMs, clock }: Options,
): Promise<() => void> => {
  const failed = readinessOf({ readiness, clock, checkMsMax: defaultHttpLimits.checkMsMax });
  const ended = new AbortController();
  const look = async (): Promise<void> => {
    const isReady = (await failed()).length === 0;
    if (!ended.signal.aborted) for (const name of ['', ...services]) server.setServing(isReady, name);
  };
  await look();
  const follow = async (): Promise<void> => {
    while (!ended.signal.aborted) {
      await sleep(clock, everyMs, ended.signal);
      await look();
    }
  };
  void follow();
  return () => ended.abort();
};
