import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { sleep, type Clock } from '@doska/core/kernel';
import { problem, type ProblemReply } from './problem.ts';

export type BodyBounds = { readonly bytesMax: number; readonly idleMs: number; readonly clock: Clock };

/** What the reader of a body gets as an error when a bound was passed. */
class BodyRefused extends Error {
  readonly reply: ProblemReply;
  constructor(reply: ProblemReply) {
    super(reply.problem.detail ?? reply.problem.kind);
    this.reply = reply;
  }
}
/** The rest of the body is not read, so the connection can't be used again. */
const CLOSE = { connection: 'close' } as const;
export const bodyTooLarge = (bytesMax: number): ProblemReply =>
  problem(413, 'BodyTooLarge', { detail: `the body has more than ${bytesMax} bytes` }, CLOSE);
const bodyIdle = (idleMs: number): ProblemReply =>
  problem(408, 'BodyIdle', { detail: `no byte of the body came for ${idleMs} ms` }, CLOSE);

/**
 * The body of a request as a stream within its bounds. It fails when the body is longer than `bytesMax`, and when the client
 * sends nothing for `idleMs` while the handler waits for more. `refused` says so afterwards, whatever the handler made of it.
 */
export class BodyStream {
  readonly readable: Readable;
  refused: ProblemReply | undefined;
  readonly #request: IncomingMessage;
  readonly #bounds: BodyBounds;

  constructor(request: IncomingMessage, bounds: BodyBounds) {
    this.#request = request;
    this.#bounds = bounds;
    this.readable = Readable.from(this.#pieces(), { objectMode: false });
    // A handler that has left the stream alone must not bring the process down.
    this.readable.on('error', () => {});
  }
  async *#pieces(): AsyncGenerator<Buffer> {
    const { bytesMax } = this.#bounds;
    // The way back must stay open: the client is told why.
    const pieces = this.#request.iterator({ destroyOnReturn: false }) as AsyncIterator<Buffer>;
    let bytes = 0;
    for (let next = await this.#next(pieces); !next.done; next = await this.#next(pieces)) {
      bytes += next.value.length;
      if (bytes > bytesMax) this.#refuse(bodyTooLarge(bytesMax));
      yield next.value;
    }
  }
  async #next(pieces: AsyncIterator<Buffer>): Promise<IteratorResult<Buffer>> {
    const { clock, idleMs } = this.#bounds;
    const over = new AbortController();
    const idle = sleep(clock, idleMs, over.signal).then(() => undefined);
    const next = await Promise.race([pieces.next(), idle]);
    over.abort();
    return next ?? this.#refuse(bodyIdle(idleMs));
  }
  #refuse(reply: ProblemReply): never {
    this.refused = reply;
    throw new BodyRefused(reply);
  }
}
