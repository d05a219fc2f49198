import { once } from 'node:events';
import { createServer, type RequestListener } from 'node:http';
import type { AddressInfo } from 'node:net';

export type PictureServer = {
  readonly url: (path: string) => string;
  /** Every requested path, in order. */
  readonly asked: readonly string[];
  readonly close: () => void;
};

/** A web server with photos, on loopback. */
export const pictureServer = async (listener: RequestListener): Promise<PictureServer> => {
  const asked: string[] = [];
  const server = createServer((request, response) => {
    asked.push(request.url ?? '');
    listener(request, response);
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    url: (path) => `http://127.0.0.1:${port}${path}`,
    asked,
    close: () => {
      server.close();
      server.closeAllConnections();
    },
  };
};
