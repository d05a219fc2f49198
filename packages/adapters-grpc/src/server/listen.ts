import { createServer } from 'node:net';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

export type PortBusy = { readonly kind: 'PortBusy'; readonly host: string; readonly port: number };
/** Port 0 is any free one. A busy default port moves to the next free one; a busy chosen port is refused. */
export type ListenOptions = {
  readonly host: string;
  readonly port: number;
  readonly whenBusy: 'next' | 'refuse';
};

const TRIES = 50;

const probe = (host: string, port: number): Promise<string | undefined> =>
  new Promise((resolve) => {
    const server = createServer();
    server.once('error', (cause: NodeJS.ErrnoException) => resolve(cause.code ?? cause.message));
    server.listen({ host, port, exclusive: true }, () => server.close(() => resolve(undefined)));
  });

/** A port that was free a moment ago. grpc-js tells of a taken one only in prose, so we look ourselves. */
export const freePort = async ({
  host,
  port,
  whenBusy,
}: ListenOptions): Promise<Result<number, PortBusy | Unavailable>> => {
  if (port === 0) return ok(0);
  const last = whenBusy === 'next' ? Math.min(port + TRIES, 65_535) : port;
  for (let candidate = port; candidate <= last; candidate += 1) {
    const problem = await probe(host, candidate);
    if (problem === undefined) return ok(candidate);
    if (problem !== 'EADDRINUSE')
      return err(unavailable(`listen on ${host}:${candidate}: ${problem}`, undefined, false));
  }
  return err({ kind: 'PortBusy', host, port });
};
