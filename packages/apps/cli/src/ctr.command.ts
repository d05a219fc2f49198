import { basename, resolve } from 'node:path';
import { readTableFile } from '@doska/adapters-files';
import { searchCtrClient, type SearchCtrClient, type ToldCtr, type ToldCtrLoad } from '@doska/adapters-grpc';
import {
  CTR_ROWS_MAX,
  offerOf,
  rateOf,
  TABLE_KINDS,
  type BadLine,
  type TableKind,
  type TableRow,
} from '@doska/core/search';
import { err, ok, Result } from 'neverthrow';
import { EXIT, problem, type CommandProblem, type CommandResult } from './outcome.ts';
import { relative, table } from './output.ts';
import { connect } from './platform.ts';
import { makeProgress } from './progress.ts';
import { refusalInWords } from './refusal.ts';

export const CTR_KINDS: readonly TableKind[] = TABLE_KINDS;
export type CtrLoadOptions = { readonly kind: TableKind; readonly name?: string };

const SERVICE = 'The search scheduler';
const refusedIn =
  (file: string) =>
  ({ line, message }: BadLine): CommandProblem =>
    problem(`${file}, line ${line}: ${message}. Nothing of it is used.`, EXIT.refused);

type Slice = { readonly rowsBefore: number; readonly isLast: boolean; readonly rows: readonly TableRow[] };
const send = async (
  client: SearchCtrClient,
  kind: TableKind,
  name: string,
  { rows, ...slice }: Slice,
): Promise<Result<void, BadLine | CommandProblem>> => {
  const inWords = (error: Parameters<typeof refusalInWords>[1]): CommandProblem =>
    refusalInWords(SERVICE, error);
  if (kind === 'weekly') {
    const rates = Result.combine(rows.map((row) => rateOf(row).map((rate) => ({ ...rate, line: row.line }))));
    if (rates.isErr()) return err(rates.error);
    return (await client.appendRates({ table: name, ...slice }, rates.value))
      .map(() => undefined)
      .mapErr(inWords);
  }
  const ids = Result.combine(rows.map(offerOf));
  if (ids.isErr()) return err(ids.error);
  return (await client.appendHourly({ table: name, ...slice }, ids.value))
    .map(() => undefined)
    .mapErr(inWords);
};

/** Sends a table to the platform in slices. Its rates are used when all of them are there. */
export const ctrLoad = async (
  path: string,
  { kind, name = basename(path) }: CtrLoadOptions,
): Promise<CommandResult> => {
  const file = resolve(path);
  // A wrong line is told before anything is sent.
  for (let cursor = ''; ;) {
    const page = await readTableFile(file, cursor, CTR_ROWS_MAX);
    if (page.isErr())
      return err(
        page.error.kind === 'BadTable'
          ? refusedIn(path)(page.error)
          : problem(`${path} can't be read: ${String(page.error.cause)}`, EXIT.usage),
      );
    const wrong = page.value.rows
      .map((row) => (kind === 'weekly' ? rateOf(row) : offerOf(row)))
      .find((row) => row.isErr());
    if (wrong) return err(refusedIn(path)(wrong._unsafeUnwrapErr()));
    if (page.value.next === undefined) break;
    cursor = page.value.next;
  }
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const client = searchCtrClient(channel.value);
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'rows' });
  let rowsBefore = 0;
  let failure: CommandProblem | undefined;
  for (let cursor: string | undefined = ''; cursor !== undefined && !failure;) {
    const page: Awaited<ReturnType<typeof readTableFile>> = await readTableFile(file, cursor, CTR_ROWS_MAX);
    if (page.isErr()) {
      failure = problem(`${path} has changed while it was read.`, EXIT.refused);
      break;
    }
    const { rows, next } = page.value;
    const sent = await send(client, kind, name, { rows, rowsBefore, isLast: next === undefined });
    if (sent.isErr()) failure = 'line' in sent.error ? refusedIn(path)(sent.error) : sent.error;
    rowsBefore += rows.length;
    progress.at(rowsBefore);
    cursor = next;
  }
  progress.end();
  channel.value.close();
  if (failure) return err(failure);
  const done =
    kind === 'weekly' ? 'rates are used from now on' : 'offers are sent to the index again with their rates';
  return ok({ value: { table: name, kind, rows: rowsBefore }, text: `${rowsBefore} ${done}.` });
};

const loadInWords = (load: ToldCtrLoad, nowMs: number): string =>
  `${load.table}, ${load.rows} rows, ${relative(load.atMs, nowMs)}`;
const inWords = (ctr: ToldCtr, nowMs: number): string =>
  [
    ctr.current ? `used: ${loadInWords(ctr.current, nowMs)}` : 'No click rates are loaded.',
    ...(ctr.loading ? [`being loaded: ${loadInWords(ctr.loading, nowMs)}`] : []),
    ...(ctr.refused
      ? [
          `refused: ${ctr.refused.table}, line ${ctr.refused.line}: ${ctr.refused.message} (${relative(ctr.refused.atMs, nowMs)})`,
        ]
      : []),
    `${ctr.queued} offers wait to be sent again, ${ctr.retiredEpochsMs.length} earlier loads wait to be deleted`,
    ...(ctr.hourly.length === 0
      ? []
      : [
          '',
          table(
            ['hourly table', 'offers', 'loaded'],
            ctr.hourly.map((one) => ({
              'hourly table': one.table,
              offers: one.offers,
              loaded: relative(one.loadedAtMs, nowMs),
            })),
          ),
        ]),
  ].join('\n');

export const ctrStatus = async (): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const status = await searchCtrClient(channel.value).status();
  channel.value.close();
  return status
    .map((ctr) => ({ value: ctr, text: inWords(ctr, Date.now()) }))
    .mapErr((error) => refusalInWords(SERVICE, error));
};
