import type { IncomingMessage } from 'node:http';
import { pipeline, type Transform } from 'node:stream';
import { createBrotliDecompress, createGunzip } from 'node:zlib';
import {
  DownloadInterrupted,
  type BadResponse,
  type DownloadLimits,
  type DownloadTooLarge,
} from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import type { Deadlines } from './deadlines.ts';
import { failureOf } from './failure.ts';

/** The encodings that a request accepts. A response in another encoding is refused. */
export const ACCEPT_ENCODING = 'gzip, br';
const decoders: Readonly<Record<string, () => Transform | undefined>> = {
  identity: () => undefined,
  gzip: () => createGunzip(),
  'x-gzip': () => createGunzip(),
  br: () => createBrotliDecompress(),
};

const tooLarge = (bytesMax: number, of: DownloadTooLarge['of']): DownloadTooLarge => ({
  kind: 'DownloadTooLarge',
  bytesMax,
  of,
});

type Reading = { readonly limits: DownloadLimits; readonly deadlines: Deadlines; readonly host: string };

/** The undecoded bytes. The idle timer runs only while we wait for the server, not while the reader is busy. */
async function* travelling(response: IncomingMessage, { limits, deadlines }: Reading): AsyncIterable<Buffer> {
  let bytes = 0;
  deadlines.waiting();
  for await (const chunk of response as AsyncIterable<Buffer>) {
    deadlines.resting();
    bytes += chunk.length;
    if (bytes > limits.bytesMax) throw new DownloadInterrupted(tooLarge(limits.bytesMax, 'body'));
    yield chunk;
    deadlines.waiting();
  }
  deadlines.resting();
}

async function* decoded(
  response: IncomingMessage,
  decoder: Transform | undefined,
  reading: Reading,
): AsyncIterable<Uint8Array> {
  const { limits, deadlines, host } = reading;
  const wire = travelling(response, reading);
  let bytes = 0;
  try {
    // `pipeline` destroys both ends on an error. The iteration reports the error, so the callback is empty.
    const content = decoder ? pipeline(wire, decoder, () => {}) : wire;
    for await (const chunk of content as AsyncIterable<Buffer>) {
      bytes += chunk.length;
      if (bytes > limits.decodedBytesMax)
        throw new DownloadInterrupted(tooLarge(limits.decodedBytesMax, 'decoded'));
      yield chunk;
    }
  } catch (cause) {
    throw new DownloadInterrupted(failureOf(cause, { signal: deadlines.signal, host }));
  } finally {
    deadlines.end();
    response.destroy();
    decoder?.destroy();
  }
}

/** Counts, decodes and times the body of a response. Refuses an announced size above the limit and an unknown encoding. */
export const readBody = (
  response: IncomingMessage,
  reading: Reading,
): Result<AsyncIterable<Uint8Array>, DownloadTooLarge | BadResponse> => {
  const { limits, deadlines } = reading;
  if (Number(response.headers['content-length'] ?? 0) > limits.bytesMax)
    return err(tooLarge(limits.bytesMax, 'body'));
  const encoding = (response.headers['content-encoding'] ?? 'identity').trim().toLowerCase();
  const makeDecoder = Object.hasOwn(decoders, encoding) ? decoders[encoding] : undefined;
  if (!makeDecoder) return err({ kind: 'BadResponse', reason: `unknown encoding ${encoding.slice(0, 40)}` });
  // The total time also ends a body that is never read.
  deadlines.signal.addEventListener('abort', () => response.destroy(), { once: true });
  response.on('error', () => {});
  return ok(decoded(response, makeDecoder(), reading));
};
