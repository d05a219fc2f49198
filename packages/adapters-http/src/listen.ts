import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

export type PortBusy = { readonly kind: 'PortBusy'; readonly host: string; readonly port: number };
/** Port 0 means any free port. With `next`, a taken port moves to the next free one; with `refuse`, it is an error. */
export type ListenOptions = {
  readonly host: string;
  readonly port: number;
  readonly whenBusy: 'next' | 'refuse';
};

const TRIES = 50;

const attempt = (server: Server, host: string, port: number): Promise<NodeJS.ErrnoException | undefined> =>
  new Promise((resolve) => {
    const failed = (cause: NodeJS.ErrnoException): void => resolve(cause);
    server.once('error', failed);
    server.listen({ host, port }, () => {
      server.off('error', failed);
      resolve(undefined);
    });
  });

export const listen = async (
  server: Server,
  { host, port, whenBusy }: ListenOptions,
): Promise<Result<number, PortBusy | Unavailable>> => {
  const last = port !== 0 && whenBusy === 'next' ? Math.min(port + TRIES, 65_535) : port;
  for (let candidate = port; candidate <= last; candidate += 1) {
    const problem = await attempt(server, host, candidate);
    if (!problem) return ok((server.address() as AddressInfo).port);
    if (problem.code !== 'EADDRINUSE')
      return err(unavailable(`listen on ${host}:${candidate}`, problem, false));
  }
  return err({ kind: 'PortBusy', host, port });
};
