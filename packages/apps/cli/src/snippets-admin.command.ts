import { snippetAdminClient, type RpcError, type SnippetAdminClient } from '@doska/adapters-grpc';
import { formatVersion } from '@doska/core/snippets';
import { err, ok, type ResultAsync } from 'neverthrow';
import { numberArgument } from './number-argument.ts';
import { EXIT, problem, type CommandOutput, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';
import { placeOfSection, retireInFile, type SnippetFileOptions } from './snippets-config.command.ts';

const asked = async <T>(
  ask: (client: SnippetAdminClient) => ResultAsync<T, RpcError>,
  say: (answer: T) => CommandOutput,
): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const answer = await ask(snippetAdminClient(channel.value));
  channel.value.close();
  return answer.map(say).mapErr((error) => refusalInWords('The snippet service', error));
};

/** Sends the dead letters of a topic through the retry flow again. */
export const snippetsRedrive = (
  topic: string,
  { section }: { readonly section?: string },
): Promise<CommandResult> =>
  asked(
    (client) => client.redrive(topic, section),
    ({ sent, skipped }) => ({
      value: { sent, skipped },
      text: `sent again: ${sent}${skipped > 0 ? `, skipped: ${skipped}` : ''}`,
    }),
  );

/** Reads the configuration of the process again. */
export const snippetsReload = (): Promise<CommandResult> =>
  asked(
    (client) => client.reload(),
    ({ loaded, mistakes }) => {
      if (mistakes.length > 0)
        return { value: { loaded, mistakes }, text: mistakes.join('\n'), exitCode: EXIT.trouble };
      return { value: { loaded, mistakes }, text: loaded ? 'loaded' : 'the files have not changed' };
    },
  );

export type KeysOptions = SnippetFileOptions & {
  readonly prefix?: string;
  readonly after?: string;
  readonly limit?: string;
};
/** The keys of a section, page by page. */
export const snippetsKeys = async (
  name: string,
  { prefix, after, limit, ...files }: KeysOptions,
): Promise<CommandResult> => {
  const most = numberArgument('--limit', limit);
  if (most.isErr()) return err(most.error);
  const place = await placeOfSection(name, files);
  if (place.isErr()) return err(place.error);
  const query = {
    ...place.value,
    ...(prefix === undefined ? {} : { prefix }),
    // Behind every language of this key.
    ...(after === undefined ? {} : { after: { key: after, language: '~' } }),
    ...(most.value === undefined ? {} : { limit: most.value }),
  };
  return asked(
    (client) => client.listKeys(query),
    (found) => {
      const keys = found.map(({ key, language, version, isTombstone }) => ({
        key,
        language: language === '' ? undefined : language,
        version: formatVersion(version),
        state: isTombstone ? 'deleted' : 'live',
      }));
      return {
        value: { keys },
        text: keys.length > 0 ? table(['key', 'language', 'version', 'state'], keys) : 'no keys',
      };
    },
  );
};

/** Deletes everything under the prefix of a section that is no longer configured. It may be stopped and run again. */
export const snippetsPurge = async (name: string, files: SnippetFileOptions): Promise<CommandResult> => {
  const place = await placeOfSection(name, files);
  if (place.isErr()) return err(place.error);
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const client = snippetAdminClient(channel.value);
  try {
    for (let total = 0; ;) {
      const step = await client.purgePrefix(place.value);
      if (step.isErr()) return err(refusalInWords('The snippet service', step.error));
      if (step.value === 0) return ok({ value: { deleted: total }, text: `deleted: ${total} rows` });
      total += step.value;
      if (process.stderr.isTTY) process.stderr.write(`\r${total} rows`);
    }
  } finally {
    channel.value.close();
  }
};

/** Marks the prefix of a section as retired, if the store has nothing under it. */
export const snippetsRetire = async (name: string, files: SnippetFileOptions): Promise<CommandResult> => {
  const place = await placeOfSection(name, files);
  if (place.isErr()) return err(place.error);
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const left = await snippetAdminClient(channel.value).listKeys({ ...place.value, limit: 1 });
  channel.value.close();
  if (left.isErr()) return err(refusalInWords('The snippet service', left.error));
  if (left.value.length > 0)
    return err(
      problem(`The store has rows of "${name}". Run "doska snippets purge ${name}" first.`, EXIT.refused),
    );
  return retireInFile(name, files);
};
