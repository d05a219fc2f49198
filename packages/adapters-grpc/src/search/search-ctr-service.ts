import { SearchCtrServiceDefinition } from '@doska/adapters-proto/generated/doska/search/v1/search_ctr_service';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { invalidInput, type Access, type InvalidInput } from '@doska/core/kernel';
import {
  CTR_ROWS_MAX,
  type AppendError,
  type LoadedEpoch,
  type SearchScheduler,
  type TableRow,
} from '@doska/core/search';
import { err, ok, ResultAsync, type Result } from 'neverthrow';

export type SearchCtrServiceNeeds = Pick<SearchScheduler, 'appendRates' | 'appendHourly' | 'ctrStatus'>;

const ACCESS: Access = { roles: ['operator', 'service'] };
const NAME = /^[^\0-\x1f]{1,200}$/;

type Slice = { readonly table: string; readonly rowsBefore: number };
const checked = (table: string, rowsBefore: bigint, rows: number): Result<Slice, InvalidInput> => {
  if (!NAME.test(table))
    return err(
      invalidInput({
        path: 'table',
        code: 'Malformed',
        message: 'a name of 1 to 200 characters in one line',
      }),
    );
  if (rowsBefore < 0n || rowsBefore > BigInt(Number.MAX_SAFE_INTEGER))
    return err(
      invalidInput({ path: 'rowsBefore', code: 'OutOfRange', message: 'it is below 0 or too large' }),
    );
  if (rows > CTR_ROWS_MAX)
    return err(
      invalidInput({ path: 'rows', code: 'TooMany', message: `at most ${CTR_ROWS_MAX} rows at once` }),
    );
  return ok({ table, rowsBefore: Number(rowsBefore) });
};
/** A wrong row is named by its place in the call, and by its line. */
const inWords = (field: string, rows: readonly TableRow[]) => (error: AppendError) => {
  switch (error.kind) {
    case 'BadTable': {
      const at = rows.findIndex(({ line }) => line === error.line);
      const path = at < 0 ? 'table' : `${field}[${at}]`;
      return invalidInput({ path, code: 'BadTable', message: `line ${error.line}: ${error.message}` });
    }
    case 'LoadBusy':
      return { ...error, message: `table ${error.table} is being loaded; try again when it is loaded` };
    case 'LoadMoved':
      return {
        ...error,
        message: `the rows do not continue the load of ${error.table}; send the table from its beginning`,
      };
    case 'Unavailable':
      return error;
  }
};
const currentToPb = (load: Omit<LoadedEpoch, 'fromMs'> | undefined) =>
  load && {
    epochMs: BigInt(load.epochMs),
    table: load.table.name,
    rows: BigInt(load.rows),
    atMs: BigInt(load.loadedAtMs),
  };

export const searchCtrService = ({
  appendRates,
  appendHourly,
  ctrStatus,
}: SearchCtrServiceNeeds): RpcService =>
  rpcService({
    definition: SearchCtrServiceDefinition,
    access: { appendRates: ACCESS, appendHourly: ACCESS, getCtrStatus: ACCESS },
    errors: { LoadBusy: 'FAILED_PRECONDITION', LoadMoved: 'FAILED_PRECONDITION' },
    handlers: {
      appendRates: ({ table, rowsBefore, rows: given, isLast }) =>
        checked(table, rowsBefore, given.length).asyncAndThen((slice) => {
          const rows = given.map(({ offerId, ctr, line }, at): TableRow => ({
            line: line > 0n ? Number(line) : slice.rowsBefore + at + 1,
            values: { offer_id: offerId, ctr },
          }));
          return new ResultAsync(appendRates({ ...slice, rows, isLast }))
            .map((done) => ({ rows: BigInt(done.rows) }))
            .mapErr(inWords('rows', rows));
        }),
      appendHourly: ({ table, rowsBefore, offerIds, isLast }) =>
        checked(table, rowsBefore, offerIds.length).asyncAndThen((slice) => {
          const rows = offerIds.map((id, at): TableRow => ({
            line: slice.rowsBefore + at + 1,
            values: { offer_id: id },
          }));
          return new ResultAsync(appendHourly({ ...slice, rows, isLast }))
            .map((done) => ({ rows: BigInt(done.rows) }))
            .mapErr(inWords('offerIds', rows));
        }),
      getCtrStatus: () =>
        new ResultAsync(ctrStatus()).map(({ current, loading, refused, queued, hourly, retired }) => ({
          current: currentToPb(current),
          loading: loading && currentToPb({ ...loading, loadedAtMs: loading.touchedAtMs }),
          refused: refused && {
            table: refused.name,
            line: BigInt(refused.line),
            message: refused.message,
            atMs: BigInt(refused.atMs),
          },
          queued: BigInt(queued),
          hourly: hourly.map(({ table, offers, loadedAtMs }) => ({
            table,
            offers: BigInt(offers),
            loadedAtMs: BigInt(loadedAtMs),
          })),
          retiredEpochsMs: retired.map(({ epochMs }) => BigInt(epochMs)),
        })),
    },
  });
