import { createReadStream } from 'node:fs';
import { snippetClient, type RpcError, type SnippetClient } from '@doska/adapters-grpc';
import {
  DATA_FORMATS,
  defaultSnippetSettings,
  formatOfType,
  makeBulkSnippets,
  type PutCommand,
  type TooLarge,
} from '@doska/core/snippets';
import type { InvalidInput } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { connect } from './platform.ts';
import { makeProgress } from './progress.ts';
import { refusalInWords } from './refusal.ts';

/** At most so many refused lines are told in full. */
const TOLD_MAX = 100;

const formatOf = (type: PutCommand['type']) =>
  'format' in type ? type.format : (formatOfType(type.contentType, DATA_FORMATS) ?? 'raw');
const bulkOf = (client: SnippetClient) =>
  makeBulkSnippets<RpcError>({
    put: ({ type, bytes, ...target }) => client.put({ ...target, format: formatOf(type), content: bytes }),
    remove: (target) =>
      client.delete(target).map(({ version, deleted, absent }) => ({
        version,
        leaves: [
          ...deleted.map((name) => ({ name, outcome: 'deleted' as const })),
          ...absent.map((name) => ({ name, outcome: 'absent' as const })),
        ],
      })),
    limits: defaultSnippetSettings,
  });
const reasonOf = (error: RpcError | InvalidInput | TooLarge): string =>
  error.kind === 'TooLarge'
    ? `${error.what} has more than ${error.bytesMax} bytes`
    : refusalInWords('The snippet service', error).message;

/** Stores and deletes what the lines of a file ask for. */
export const snippetsBulk = async (name: string, file: string): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const pieces = (file === '-' ? process.stdin : createReadStream(file)) as AsyncIterable<Uint8Array>;
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'lines' });
  const refused: { line: number; key?: string; reason: string }[] = [];
  let written = 0;
  let lines = 0;
  try {
    for await (const { line, key, outcome } of bulkOf(snippetClient(channel.value))({ name, pieces })) {
      progress.at(++lines);
      if (outcome.isOk()) written++;
      else if (refused.length < TOLD_MAX)
        refused.push({ line, ...(key === undefined ? {} : { key }), reason: reasonOf(outcome.error) });
    }
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return err(problem(`${file}: ${code ?? message}`, EXIT.usage));
  } finally {
    progress.end();
    channel.value.close();
  }
  const value = { lines, written, refused: lines - written, reasons: refused };
  const told = refused.map(
    (one) => `line ${one.line}${one.key === undefined ? '' : ` (${one.key})`}: ${one.reason}`,
  );
  return ok({
    value,
    text: [`${written} of ${lines} lines written`, ...told].join('\n'),
    ...(value.refused > 0 ? { exitCode: EXIT.trouble } : {}),
  });
};
