import { err, type Result, type ResultAsync } from 'neverthrow';
import type { InvalidInput } from '../../kernel/index.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { DeleteAnswer, DeleteCommand, DeletedLeaf } from '../requests/delete-snippet.use-case.ts';
import type { PutAnswer, PutCommand } from '../requests/put-snippet.use-case.ts';
import type { TooLarge } from '../requests/snippet-errors.ts';
import type { Version } from '../version/version.ts';
import { readBulkLine, type BulkLine } from './bulk-line.ts';
import { textLines, type TextLine } from './text-lines.ts';

export type BulkRequest = {
  /** All lines are worked on with this config. Without it each line takes the newest one. */
  readonly at?: LoadedConfig;
  readonly name: string;
  /** NDJSON. */
  readonly pieces: AsyncIterable<Uint8Array>;
};
export type BulkDone = {
  readonly version: Version;
  readonly leaves: readonly { readonly name: string; readonly outcome: 'stored' | DeletedLeaf['outcome'] }[];
};
/** `E` is what a write can be refused with. */
export type BulkVerdict<E> = {
  readonly line: number;
  /** Undefined: the line could not be read. */
  readonly key: string | undefined;
  readonly outcome: Result<BulkDone, E | InvalidInput | TooLarge>;
};
/**
 * Works on lines and gives one verdict a line, in the order of the lines. A bad line does not stop those behind it. Lines
 * with the same key take effect in their order.
 */
export type BulkSnippets<E> = (request: BulkRequest) => AsyncGenerator<BulkVerdict<E>>;

export type BulkLimits = {
  readonly contentBytesMax: number;
  readonly jsonDepthMax: number;
  /** Lines that are worked on at once. */
  readonly bulkAtOnce: number;
};
/** Base64 needs four bytes for three; an escaped text up to six for one. */
const lineBytesMaxOf = (contentBytesMax: number): number => 6 * contentBytesMax + 16_384;

export const makeBulkSnippets = <E>(needs: {
  readonly put: (command: PutCommand) => ResultAsync<PutAnswer, E>;
  readonly remove: (command: DeleteCommand) => ResultAsync<DeleteAnswer, E>;
  readonly limits: BulkLimits;
}): BulkSnippets<E> => {
  const { put, remove, limits } = needs;
  const lineBytesMax = lineBytesMaxOf(limits.contentBytesMax);

  const effectOf = async (
    { at, name }: BulkRequest,
    { key, language, condition, content }: BulkLine,
  ): Promise<BulkVerdict<E>['outcome']> => {
    const target = { ...(at ? { at } : {}), name, key, language, ...(condition ? { condition } : {}) };
    if (!content) return remove(target);
    const stored = await put({ ...target, type: content.type, bytes: content.bytes });
    return stored.map(({ version, names }) => ({
      version,
      leaves: names.map((leaf) => ({ name: leaf, outcome: 'stored' as const })),
    }));
  };
  /** `last` has the newest work of each key that runs now. */
  const started = (request: BulkRequest, line: TextLine, last: Map<string, Promise<unknown>>) => {
    const told = (key: string | undefined, outcome: BulkVerdict<E>['outcome']): BulkVerdict<E> => ({
      line: line.number,
      key,
      outcome,
    });
    if (line.bytes === 'tooLong')
      return Promise.resolve(
        told(undefined, err({ kind: 'TooLarge', what: 'the line', bytesMax: lineBytesMax })),
      );
    const read = readBulkLine(line.bytes, limits.jsonDepthMax);
    if (read.isErr()) return Promise.resolve(told(undefined, err(read.error)));
    const { key } = read.value;
    const work = (last.get(key) ?? Promise.resolve()).then(() => effectOf(request, read.value));
    last.set(key, work);
    return work.then((outcome) => {
      if (last.get(key) === work) last.delete(key);
      return told(key, outcome);
    });
  };

  return async function* (request) {
    const lines = textLines(request.pieces, lineBytesMax);
    const last = new Map<string, Promise<unknown>>();
    const running: Promise<BulkVerdict<E>>[] = [];
    let next: Promise<IteratorResult<TextLine>> | undefined;
    let isRead = false;
    try {
      while (!isRead || running.length > 0) {
        // A verdict that is ready is told at once, also while the next line is on its way.
        const waits: Promise<() => BulkVerdict<E> | undefined>[] = [];
        if (running[0]) waits.push(running[0].then((verdict) => () => (void running.shift(), verdict)));
        if (!isRead && running.length < limits.bulkAtOnce) {
          next ??= lines.next();
          waits.push(
            next.then((line) => () => {
              next = undefined;
              if (line.done) isRead = true;
              else running.push(started(request, line.value, last));
              return undefined;
            }),
          );
        }
        const verdict = (await Promise.race(waits))();
        if (verdict) yield verdict;
      }
    } finally {
      // A caller that leaves stops the reading. What has begun ends.
      await Promise.all(running);
      await lines.return(undefined);
    }
  };
};
