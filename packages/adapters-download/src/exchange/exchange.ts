import { once } from 'node:events';
import { request as httpRequest, type IncomingMessage } from 'node:http';
import type { Target } from '../address/target.ts';
import { openConnection, type Route } from './connection.ts';
import type { Deadlines } from './deadlines.ts';

const HEADER_BYTES_MAX = 16 * 1024;

/** Sends one request to one server and resolves with the headers. The caller reads and closes the body. */
export const ask = async (
  target: Target,
  headers: Readonly<Record<string, string>>,
  { route, deadlines }: { readonly route: Route; readonly deadlines: Deadlines },
): Promise<IncomingMessage> => {
  const { signal } = deadlines;
  const socket = await openConnection(target, route, signal);
  try {
    const request = httpRequest({
      createConnection: () => socket,
      method: 'GET',
      path: `${target.url.pathname}${target.url.search}`,
      headers: { host: target.url.host, connection: 'close', ...headers },
      maxHeaderSize: HEADER_BYTES_MAX,
      // Set here so that a process flag cannot change it.
      insecureHTTPParser: false,
    });
    request.on('error', () => {});
    request.end();
    deadlines.waiting();
    const [response] = (await once(request, 'response', { signal })) as [IncomingMessage];
    deadlines.resting();
    return response;
  } catch (cause) {
    socket.destroy();
    throw cause;
  }
};
