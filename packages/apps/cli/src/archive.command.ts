import { archiveClient, type RpcError } from '@doska/adapters-grpc';
import { err, ok, type Result } from 'neverthrow';
import { EXIT, problem, type CommandProblem, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { makeProgress } from './progress.ts';
import { withChannel, type ClientOption } from './vasgen.command.ts';

export type WindowOptions = ClientOption & { readonly from?: string; readonly to?: string };
export type ArchiveReplayOptions = WindowOptions & { readonly epoch?: string };

type Window = { readonly fromMs: number; readonly toMs: number };
const moment = (
  option: string,
  text: string | undefined,
  otherwise: number,
): Result<number, CommandProblem> => {
  const ms = text === undefined ? otherwise : Date.parse(text);
  return Number.isNaN(ms)
    ? err(problem(`${option} is a moment like 2026-01-31T12:00:00Z.`, EXIT.usage))
    : ok(ms);
};
const windowOf = ({ from, to }: WindowOptions): Result<Window, CommandProblem> =>
  moment('--from', from, 0).andThen((fromMs) => moment('--to', to, 0).map((toMs) => ({ fromMs, toMs })));

/** The segments of the archive in a window of time. */
export const archiveList = async (options: WindowOptions): Promise<CommandResult> => {
  const window = windowOf(options);
  if (window.isErr()) return err(window.error);
  return withChannel(options, async (channel, client) => {
    const found: { id: string; from: string; to: string; records: number; bytes: number }[] = [];
    for (let token = ''; ;) {
      const page = await archiveClient(channel).list(client, window.value, token);
      if (page.isErr()) return err(page.error);
      for (const { id, fromMs, toMs, records, bytes } of page.value.segments)
        found.push({
          id,
          from: new Date(fromMs).toISOString(),
          to: new Date(toMs).toISOString(),
          records,
          bytes,
        });
      token = page.value.next;
      if (token === '') break;
    }
    return ok({
      value: found,
      text:
        found.length === 0
          ? 'The archive has nothing in this time.'
          : table(['id', 'from', 'to', 'records', 'bytes'], found),
    });
  });
};
/** The records of a segment. */
export const archiveCat = (id: string, options: ClientOption): Promise<CommandResult> =>
  withChannel(options, async (channel, client) => {
    const lines: string[] = [];
    const value: unknown[] = [];
    for await (const told of archiveClient(channel).read(client, id)) {
      if (told.isErr()) return err(told.error);
      const { offset, timestampMs, record } = told.value;
      const fields = record?.document?.fields.map(({ name, value: of }) => [name, of] as const);
      const shown = {
        offset,
        at: new Date(timestampMs).toISOString(),
        pk: record?.pk,
        place: record?.place,
        event: record?.document?.event ?? 'delete',
        fields: fields && Object.fromEntries(fields),
      };
      value.push(shown);
      lines.push(JSON.stringify(shown));
    }
    return ok({ value, text: lines.join('\n') });
  });
/** Sends archived documents of a window of time again. */
export const archiveReplay = async ({ epoch, ...options }: ArchiveReplayOptions): Promise<CommandResult> => {
  const window = windowOf(options);
  if (window.isErr()) return err(window.error);
  if (options.from === undefined) return err(problem('Say --from TIME.', EXIT.usage));
  const into = epoch === undefined ? 0 : Number(epoch);
  if (!Number.isSafeInteger(into) || into < 0)
    return err(problem('--epoch is the number of a living epoch.', EXIT.usage));
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'documents' });
  return withChannel(options, async (channel, client) => {
    let documents = 0;
    for (let token = ''; ;) {
      const slice: Result<{ readonly documents: number; readonly next: string }, RpcError> =
        await archiveClient(channel).replay(client, { ...window.value, epoch: into }, token);
      if (slice.isErr()) return err(slice.error);
      documents += slice.value.documents;
      progress.at(documents);
      token = slice.value.next;
      if (token === '') break;
    }
    progress.end();
    return ok({ value: { documents }, text: `${documents} archived documents are sent again.` });
  });
};
