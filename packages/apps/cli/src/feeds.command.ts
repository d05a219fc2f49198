import { createReadStream, existsSync } from 'node:fs';
import { open, rename, rm } from 'node:fs/promises';
import {
  feedClient,
  type FeedClient,
  type FeedName,
  type RpcError,
  type ToldLoad,
} from '@doska/adapters-grpc';
import { systemClock } from '@doska/app-composition';
import { sleep } from '@doska/core/kernel';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { EXIT, problem, type CommandOutput, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { connect } from './platform.ts';
import { refusalInWords } from './refusal.ts';

export type FeedOptions = { readonly namespace?: string };
export type FeedSetOptions = FeedOptions & {
  readonly url?: string;
  readonly every?: string;
  readonly manual?: boolean;
  readonly name?: string;
  readonly phone?: string;
  readonly email?: string;
  readonly address?: string;
  readonly currency?: string;
};
export type FeedUploadOptions = FeedOptions & {
  readonly replace?: boolean;
  readonly wait?: boolean;
  readonly requestId?: string;
};
const POLL_MS = 300;

/** For a shell, if it needs quotes. */
const quoted = (text: string): string =>
  /^[\w:./-]+$/.test(text) ? text : `'${text.replaceAll("'", "'\\''")}'`;
const nameOf = (sellerId: string, { namespace = 'main' }: FeedOptions): FeedName => ({ sellerId, namespace });
const withClient = async (
  work: (client: FeedClient) => PromiseLike<CommandResult>,
): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  try {
    return await work(feedClient(channel.value));
  } finally {
    channel.value.close();
  }
};
const ask = (
  question: (client: FeedClient) => ResultAsync<CommandOutput, RpcError>,
): Promise<CommandResult> =>
  withClient(async (client) =>
    (await question(client)).mapErr((error) => refusalInWords('The feeds', error)),
  );

const summary = ({ task, place, error, removal, progress, statistics }: ToldLoad): string => {
  const counts = ['inserted', 'updated', 'unchanged', 'rejected', 'removed', 'errors', 'warnings']
    .filter((name) => (statistics[name] ?? 0) > 0)
    .map((name) => `${statistics[name]} ${name}`);
  const words = [
    `load ${task}: ${place}${removal === '' || removal === 'done' ? '' : ` (removal ${removal})`}`,
    `${progress['offersRead'] ?? 0} offers read, ${progress['offersAnswered'] ?? 0} answered`,
    ...counts,
  ];
  return `${words.join(', ')}${error === '' ? '' : `\n${error}`}`;
};
const isOver = ({ place }: ToldLoad): boolean => ['failed', 'succeed', 'held'].includes(place);
const outputOf = (load: ToldLoad): CommandOutput => ({
  value: load,
  text: summary(load),
  exitCode: load.place === 'failed' || load.place === 'held' ? EXIT.trouble : 0,
});

/** Waits for the end of a load. On a terminal one line shows how far it is. */
const waitFor = async (
  client: FeedClient,
  name: FeedName,
  task: number,
  signal: AbortSignal,
): Promise<Result<ToldLoad, RpcError>> => {
  const isTerminal = process.stderr.isTTY;
  for (let shown = ''; ;) {
    const load = await client.load(name, task);
    if (load.isErr()) return err(load.error);
    if (isOver(load.value) || signal.aborted) {
      // The end of the load is the output of the command.
      if (isTerminal && shown !== '') process.stderr.write('\r\u001b[K');
      return ok(load.value);
    }
    const line = summary(load.value).split('\n')[0] ?? '';
    if (line !== shown) process.stderr.write(isTerminal ? `\r\u001b[K${line}` : `${line}\n`);
    shown = line;
    await sleep(systemClock, POLL_MS, signal);
  }
};

export const feedsSet = (seller: string, options: FeedSetOptions): Promise<CommandResult> => {
  const { url = '', every = '3600', manual = false } = options;
  const wanted = {
    url,
    intervalSeconds: Number(every),
    manual,
    contactName: options.name ?? '',
    phone: options.phone ?? '',
    email: options.email ?? '',
    address: options.address ?? '',
    currency: options.currency ?? '',
  };
  return ask((client) =>
    client.set(nameOf(seller, options), wanted).map(({ version }) => ({
      value: { version },
      text: `The feed is set (version ${version}). ${url === '' ? 'It is filled by uploads.' : `It is fetched every ${every} seconds.`}`,
    })),
  );
};
export const feedsRemove = (
  seller: string,
  options: FeedOptions & { manual?: boolean },
): Promise<CommandResult> =>
  ask((client) =>
    client.remove(nameOf(seller, options), options.manual ?? false).map(() => ({
      value: {},
      text: options.manual
        ? 'The feed is removed. Its offers become the seller’s own.'
        : 'The feed is removed. Its offers are being removed.',
    })),
  );
export const feedsFetch = (seller: string, options: FeedOptions): Promise<CommandResult> =>
  ask((client) =>
    client
      .fetchNow(nameOf(seller, options))
      .map(() => ({ value: {}, text: 'The link is fetched as soon as a loader is free.' })),
  );
export const feedsUpload = async (
  seller: string,
  file: string,
  options: FeedUploadOptions,
  signal: AbortSignal,
): Promise<CommandResult> => {
  if (!existsSync(file)) return err(problem(`There is no file ${file}.`, EXIT.usage));
  return withClient(async (client) => {
    const name = nameOf(seller, options);
    const wanted = { ...name, replace: options.replace ?? false, requestId: options.requestId ?? '' };
    const load = await client.upload(wanted, createReadStream(file) as AsyncIterable<Uint8Array>);
    const ended = load.isOk() && options.wait ? await waitFor(client, name, load.value.task, signal) : load;
    return ended.map(outputOf).mapErr((error) => refusalInWords('The feeds', error));
  });
};
export const feedsLoads = (
  seller: string,
  options: FeedOptions & { limit?: string },
): Promise<CommandResult> =>
  ask((client) =>
    client.loads(nameOf(seller, options), Number(options.limit ?? 20)).map((loads) => ({
      value: loads,
      text:
        loads.length === 0
          ? 'Nothing was loaded yet.'
          : table(
              ['task', 'place', 'origin', 'created', 'offers', 'rejected', 'errors'],
              loads.map(({ task, place, origin, createdAtMs, progress, statistics }) => ({
                task,
                place,
                origin,
                created: new Date(createdAtMs).toISOString(),
                offers: progress['offersRead'],
                rejected: statistics['rejected'],
                errors: statistics['errors'],
              })),
            ),
    })),
  );
export const feedsStatus = (
  seller: string,
  task: string,
  options: FeedOptions & { wait?: boolean },
  signal: AbortSignal,
): Promise<CommandResult> =>
  withClient(async (client) => {
    const name = nameOf(seller, options);
    const load = options.wait
      ? await waitFor(client, name, Number(task), signal)
      : await client.load(name, Number(task));
    return load.map(outputOf).mapErr((error) => refusalInWords('The feeds', error));
  });
export type FeedErrorsOptions = FeedOptions & {
  readonly limit?: string;
  readonly level?: 'error' | 'warning';
  readonly code?: string;
  readonly after?: string;
};
/** Where the next page begins: the number and the offer of the last error. */
const placeOf = (after: string): { readonly externalId: string; readonly number: number } | undefined => {
  const [, number, externalId] = /^(\d+):(.*)$/s.exec(after) ?? [];
  return number === undefined || externalId === undefined
    ? undefined
    : { externalId, number: Number(number) };
};
export const feedsErrors = async (
  seller: string,
  task: string,
  { limit: asked = '100', level, code, after, ...options }: FeedErrorsOptions,
): Promise<CommandResult> => {
  const limit = Number(asked);
  const from = after === undefined ? undefined : placeOf(after);
  if (after !== undefined && !from)
    return err(problem(`--after is NUMBER:OFFER, as the page before says it, not ${after}.`, EXIT.usage));
  return ask((client) =>
    client
      .errors(nameOf(seller, options), Number(task), { level, code, after: from, limit })
      .map((errors) => {
        const last = errors.length < limit ? undefined : errors.at(-1);
        const shown = table(
          ['offer', 'line', 'level', 'code', 'path', 'message', 'value'],
          errors.map(({ externalId, ...error }) => ({ offer: externalId, ...error })),
        );
        const next = last
          ? `\nThere may be more: --after ${quoted(`${last.number}:${last.externalId}`)}`
          : '';
        return { value: errors, text: errors.length === 0 ? 'No errors.' : `${shown}${next}` };
      }),
  );
};
/** Writes all stored errors to a file; its ending says whether it is CSV or XLSX. A file that is not whole is deleted. */
export const feedsExport = (
  seller: string,
  task: string,
  file: string,
  options: FeedOptions,
): Promise<CommandResult> =>
  withClient(async (client) => {
    const format = /\.xlsx$/i.test(file) ? 'xlsx' : 'csv';
    const part = `${file}.part`;
    const out = await open(part, 'w').catch((cause: unknown) => cause as Error);
    if (out instanceof Error) return err(problem(`${file} can't be written: ${out.message}`, EXIT.usage));
    let bytes = 0;
    try {
      for await (const piece of client.exportErrors(nameOf(seller, options), Number(task), format)) {
        if (piece.isErr()) return err(refusalInWords('The feeds', piece.error));
        bytes += piece.value.length;
        await out.writeFile(piece.value);
      }
      await out.close();
      await rename(part, file);
    } finally {
      await out.close();
      await rm(part, { force: true });
    }
    return ok({ value: { bytes, format, file }, text: `The errors are in ${file}` });
  });
export const feedsDiagnose = (seller: string, task: string, options: FeedOptions): Promise<CommandResult> =>
  ask((client) =>
    client.diagnose(nameOf(seller, options), Number(task)).map((found) => ({
      value: found,
      text:
        found.length === 0
          ? 'Nothing is wrong.'
          : found
              .map(({ code, path, count, fix, examples }) =>
                [
                  `${count} × ${code} ${path}`,
                  ...examples.map(
                    ({ externalId, message, value }) =>
                      `    ${externalId}: ${message}${value === undefined ? '' : ` (${value})`}`,
                  ),
                  `    → ${fix}`,
                ].join('\n'),
              )
              .join('\n'),
    })),
  );
export const feedsSettle = (
  seller: string,
  task: string,
  verdict: 'approve' | 'reject',
  options: FeedOptions,
): Promise<CommandResult> =>
  ask((client) =>
    client.settle(nameOf(seller, options), Number(task), verdict).map(() => ({
      value: {},
      text: verdict === 'approve' ? 'The removal is approved.' : 'The removal is rejected: the offers stay.',
    })),
  );
