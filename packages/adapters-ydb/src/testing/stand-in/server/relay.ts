import { createServer, connect, type Server, type Socket } from 'node:net';
import type { AddressInfo } from 'node:net';

/** Stands before the server, so that connections can break in earnest. */
export class Relay {
  readonly #open = new Set<Socket>();
  #server: Server | undefined;
  #port = 0;
  constructor(readonly target: () => number) {}

  get port(): number {
    return this.#port;
  }
  /** From the second time on at the same port. */
  async listen(): Promise<void> {
    const server = createServer((outer) => {
      const inner = connect(this.target(), '127.0.0.1');
      for (const [from, to] of [
        [outer, inner],
        [inner, outer],
      ] as const) {
        from.setNoDelay(true); // small answers would wait 40 ms for each other
        this.#open.add(from);
        from.pipe(to);
        from.on('error', () => to.destroy());
        from.on('close', () => {
          this.#open.delete(from);
          to.destroy();
        });
      }
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject);
      server.listen(this.#port, '127.0.0.1', resolve);
    });
    this.#server = server;
    this.#port = (server.address() as AddressInfo).port;
  }
  freeze(): void {
    for (const socket of this.#open) socket.unpipe().pause();
  }
  drop(): void {
    for (const socket of this.#open) socket.destroy();
  }
  async close(): Promise<void> {
    const server = this.#server;
    this.#server = undefined;
    const closed = new Promise<void>((resolve) => (server ? server.close(() => resolve()) : resolve()));
    this.drop();
    await closed;
  }
}
