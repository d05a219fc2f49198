import { readFile } from 'node:fs/promises';
import { snippetClient, type RpcError, type SnippetClient } from '@doska/adapters-grpc';
import { DATA_FORMATS, formatVersion, type DataFormat, type KeyedSnippet } from '@doska/core/snippets';
import { err, type ResultAsync } from 'neverthrow';
import { EXIT, problem, type CommandOutput, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';

const READ_MS = 10_000;
const asked = async <T>(
  ask: (client: SnippetClient) => ResultAsync<T, RpcError>,
  say: (answer: T) => CommandOutput,
): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const answer = await ask(snippetClient(channel.value, { readMs: READ_MS }));
  channel.value.close();
  return answer.map(say).mapErr((error) => refusalInWords('The snippet service', error));
};

export type SnippetPutOptions = { readonly type?: string; readonly language?: string };
/** Stores the content of a file. */
export const snippetsPut = async (
  name: string,
  key: string,
  file: string,
  { type = 'json', language = '' }: SnippetPutOptions,
): Promise<CommandResult> => {
  const format = DATA_FORMATS.find((known) => known === type);
  if (!format) return err(problem(`--type: one of ${DATA_FORMATS.join(', ')}`, EXIT.usage));
  let content: Uint8Array;
  try {
    content = await readFile(file === '-' ? '/dev/stdin' : file);
  } catch (cause) {
    return err(problem(`${file}: ${(cause as NodeJS.ErrnoException).code ?? 'can not be read'}`, EXIT.usage));
  }
  return asked(
    (client) => client.put({ name, key, language, format, content }),
    ({ names }) => ({ value: { stored: names }, text: `stored: ${names.join(', ')}` }),
  );
};

const textOf = (format: DataFormat, bytes: Uint8Array): string =>
  Buffer.from(bytes).toString(format === 'pb' ? 'base64' : 'utf8');
const rowOf = ({ name, key, language, content, version }: KeyedSnippet) => ({
  name,
  key,
  language: language === '' ? undefined : language,
  version: formatVersion(version),
  content: textOf(content.format, content.bytes),
});

/** The snippets of a key in a section or a group. */
export const snippetsGet = (
  name: string,
  key: string,
  { language = '' }: { readonly language?: string },
): Promise<CommandResult> =>
  asked(
    (client) => client.multiGet({ names: [name], keys: [key], language }),
    (found) => {
      const snippets = found.map(rowOf);
      return found.length === 0
        ? { value: { snippets }, text: 'no such snippet', exitCode: EXIT.failed }
        : { value: { snippets }, text: table(['name', 'key', 'language', 'version', 'content'], snippets) };
    },
  );

/** Deletes a snippet, or the snippets of a group. */
export const snippetsDelete = (
  name: string,
  key: string,
  { language = '' }: { readonly language?: string },
): Promise<CommandResult> =>
  asked(
    (client) => client.delete({ name, key, language }),
    ({ deleted }) => ({
      value: { deleted },
      text: deleted.length > 0 ? `deleted: ${deleted.join(', ')}` : 'there was no such snippet',
    }),
  );
