import {
  epochClient,
  queueClient,
  type GrpcChannel,
  type RpcError,
  type ToldFailure,
} from '@doska/adapters-grpc';
import { clientName, type ClientName, type Epoch, type EpochCommand } from '@doska/core/vasgen';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import { EXIT, problem, type CommandOutput, type CommandProblem, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { connect } from './platform.ts';
import { makeProgress } from './progress.ts';
import { refusalInWords } from './refusal.ts';

export type ClientOption = { readonly client: string };
export type ResendOptions = ClientOption & { readonly since?: string; readonly all?: boolean };
export type EpochOptions = ClientOption & { readonly force?: boolean };
export type ReplayOptions = ClientOption & { readonly dryRun?: boolean };

const RECEIVER = 'The receiver of documents';

const named = (text: string): Result<ClientName, CommandProblem> => {
  const client = clientName(text);
  return client ? ok(client) : err(problem(`${text} is not the name of a client.`, EXIT.usage));
};
/** Asks the receiver as the client that the option names. */
export const withChannel = async (
  { client: text }: ClientOption,
  ask: (
    channel: GrpcChannel,
    client: ClientName,
  ) => ResultAsync<CommandOutput, RpcError> | Promise<Result<CommandOutput, RpcError>>,
): Promise<CommandResult> => {
  const client = named(text);
  if (client.isErr()) return err(client.error);
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const answer = await ask(channel.value, client.value);
  channel.value.close();
  return answer.mapErr((error) => refusalInWords(RECEIVER, error));
};

const epochsOutput = (epochs: readonly Epoch[]): CommandOutput => ({
  value: epochs.map(({ epoch, state, schema }) => ({
    epoch,
    state,
    schema: schema.number,
    fields: Object.keys(schema.fields).length,
  })),
  text: table(
    ['epoch', 'state', 'schema', 'fields'],
    epochs.map(({ epoch, state, schema }) => ({
      epoch,
      state,
      schema: schema.number,
      fields: Object.keys(schema.fields).length,
    })),
  ),
});

/** The living epochs of a client. */
export const epochStatus = (options: ClientOption): Promise<CommandResult> =>
  withChannel(options, (channel, client) => epochClient(channel).get(client).map(epochsOutput));
/** Creates, promotes, rolls back, finishes or cancels an epoch. */
export const epochChange = (
  command: EpochCommand,
  { force = false, ...options }: EpochOptions,
): Promise<CommandResult> =>
  withChannel(options, (channel, client) =>
    epochClient(channel).change(client, command, { isForced: force }).map(epochsOutput),
  );

/** Documents that could not be converted and wait for an operator. */
export const failedList = (options: ClientOption): Promise<CommandResult> =>
  withChannel(options, async (channel, client) => {
    const documents: ToldFailure[] = [];
    for (let token = ''; ;) {
      const page = await queueClient(channel).failed(client, token);
      if (page.isErr()) return err(page.error);
      documents.push(...page.value.documents);
      token = page.value.next;
      if (token === '') break;
    }
    return ok({
      value: documents,
      text:
        documents.length === 0
          ? 'No document has failed.'
          : table(['epoch', 'pk', 'queue', 'attempts', 'reason'], documents),
    });
  });
/** Tries failed documents again; `--dry-run` only tells whether they can be converted now. */
export const failedReplay = (
  pks: readonly string[],
  { dryRun = false, ...options }: ReplayOptions,
): Promise<CommandResult> =>
  withChannel(options, (channel, client) =>
    queueClient(channel)
      .replay(client, pks, dryRun)
      .map((documents) => {
        const bad = documents.filter(({ reason }) => reason !== '');
        const good = documents.length - bad.length;
        const done = dryRun ? 'can be converted now' : 'are sent again';
        return {
          value: documents,
          text: [`${good} documents ${done}.`, ...bad.map(({ pk, reason }) => `${pk}: ${reason}`)].join('\n'),
        };
      }),
  );

const sinceMsOf = (text: string | undefined): number | undefined => {
  if (text === undefined) return 0;
  const ms = Date.parse(text);
  return Number.isNaN(ms) ? undefined : ms;
};
/** Sends documents to the index again: some keys, those written since a moment, or all. */
export const vasgenResend = async (
  pks: readonly string[],
  { since, all = false, ...options }: ResendOptions,
): Promise<CommandResult> => {
  const sinceMs = sinceMsOf(since);
  if (sinceMs === undefined)
    return err(problem('--since is a moment like 2026-01-31T12:00:00Z.', EXIT.usage));
  if ([pks.length > 0, since !== undefined, all].filter(Boolean).length !== 1)
    return err(problem('Name keys of documents, or say --since TIME, or --all.', EXIT.usage));
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'documents' });
  return withChannel(options, async (channel, client) => {
    const queues = queueClient(channel);
    let documents = 0;
    for (let cursor = ''; ;) {
      const slice: Awaited<ResultAsync<{ documents: number; nextCursor: string }, RpcError>> =
        await queues.resend(client, { pks, sinceMs, cursor });
      if (slice.isErr()) return err(slice.error);
      documents += slice.value.documents;
      progress.at(documents);
      cursor = slice.value.nextCursor;
      if (cursor === '') break;
    }
    progress.end();
    return ok({ value: { documents }, text: `${documents} documents are sent to the index again.` });
  });
};
