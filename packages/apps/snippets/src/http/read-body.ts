import type { IncomingMessage } from 'node:http';
import type { TooLarge } from '@doska/core/snippets';
import { err, ok, type Result } from 'neverthrow';
import type { HttpProblem } from './problems.ts';

/** Reads a body of limited size. Undefined: the client has gone. */
export const readContent = (
  request: IncomingMessage,
  bytesMax: number,
): Promise<Result<Buffer | undefined, TooLarge | HttpProblem>> => {
  const tooLarge: TooLarge = { kind: 'TooLarge', what: 'the content', bytesMax };
  const { 'content-length': length, 'content-encoding': encoding = 'identity' } = request.headers;
  if (encoding !== 'identity') return Promise.resolve(err({ kind: 'UnsupportedEncoding' }));
  if (Number(length ?? 0) > bytesMax) return Promise.resolve(err(tooLarge));
  return new Promise((resolve) => {
    const pieces: Buffer[] = [];
    let bytes = 0;
    request.on('data', (piece: Buffer) => {
      bytes += piece.length;
      if (bytes <= bytesMax) pieces.push(piece);
      else resolve(err(tooLarge));
    });
    request.once('end', () => resolve(ok(pieces.length === 1 ? pieces[0]! : Buffer.concat(pieces, bytes))));
    request.once('close', () => resolve(ok(undefined)));
    request.once('error', () => resolve(ok(undefined)));
  });
};
