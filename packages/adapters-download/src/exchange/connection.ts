import { once } from 'node:events';
import { request as httpRequest } from 'node:http';
import { connect as connectTcp, isIP, type LookupFunction, type Socket } from 'node:net';
import { connect as connectTls } from 'node:tls';
import { DownloadInterrupted, unavailable } from '@doska/core/kernel';
import type { Target } from '../address/target.ts';

export type Route = {
  /** URL of an HTTP proxy that allows `CONNECT`. The operator configures it, so its address is not checked. */
  readonly proxy: URL | undefined;
  /** Certificate authorities in addition to Node's own. */
  readonly ca: string | undefined;
};

/** A `lookup` that returns the checked addresses and never asks DNS again. */
const pinned =
  (addresses: readonly string[]): LookupFunction =>
  (_host, options, answer) => {
    const all = addresses.map((address) => ({ address, family: isIP(address) }));
    if (options.all) answer(null, all);
    else answer(null, all[0]!.address, all[0]!.family);
  };

/** Waits until `socket` is connected. On failure it closes the socket. */
const established = async <S extends Socket>(socket: S, event: string, signal: AbortSignal): Promise<S> => {
  // The current user of the socket handles errors. This listener covers the time between two users.
  socket.on('error', () => {});
  try {
    await once(socket, event, { signal });
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
};

const direct = ({ host, port, addresses }: Target, signal: AbortSignal): Promise<Socket> =>
  established(connectTcp({ host, port, lookup: pinned(addresses) }), 'connect', signal);

/** A tunnel to the checked address. The proxy resolves no names, so DNS cannot redirect it. */
const tunnelled = async ({ port, addresses }: Target, proxy: URL, signal: AbortSignal): Promise<Socket> => {
  const address = addresses[0]!;
  const authority = `${isIP(address) === 6 ? `[${address}]` : address}:${port}`;
  const proxyHost = proxy.hostname.replace(/^\[(.*)\]$/, '$1');
  const socket = await established(
    connectTcp({ host: proxyHost, port: Number(proxy.port || '80') }),
    'connect',
    signal,
  );
  const user = `${decodeURIComponent(proxy.username)}:${decodeURIComponent(proxy.password)}`;
  const request = httpRequest({
    createConnection: () => socket,
    method: 'CONNECT',
    path: authority,
    headers: {
      host: authority,
      ...(user === ':' ? {} : { 'proxy-authorization': `Basic ${Buffer.from(user).toString('base64')}` }),
    },
  });
  request.on('error', () => {});
  try {
    request.end();
    const [response, , head] = (await once(request, 'connect', { signal })) as [
      { readonly statusCode: number },
      Socket,
      Buffer,
    ];
    if (response.statusCode !== 200)
      throw new DownloadInterrupted(
        unavailable(`proxy answered ${response.statusCode}`, undefined, response.statusCode >= 500),
      );
    if (head.length > 0) socket.unshift(head);
    return socket;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
};

/** A connection to a checked address. Certificate and virtual host use the requested name. */
export const openConnection = async (
  target: Target,
  { proxy, ca }: Route,
  signal: AbortSignal,
): Promise<Socket> => {
  const socket = await (proxy ? tunnelled(target, proxy, signal) : direct(target, signal));
  if (target.url.protocol === 'http:') return socket;
  const { host } = target;
  const secured = connectTls({
    socket,
    host,
    ...(isIP(host) === 0 ? { servername: host } : {}),
    ...(ca === undefined ? {} : { ca }),
    ALPNProtocols: ['http/1.1'],
  });
  return established(secured, 'secureConnect', signal);
};
