import { open, readdir, stat, type FileHandle } from 'node:fs/promises';
import { join } from 'node:path';
import { unavailable, type Unavailable } from '@doska/core/kernel';
import {
  badLine,
  type BadTable,
  type TableInfo,
  type TableKind,
  type TableMoved,
  type TablePage,
  type TableSource,
} from '@doska/core/search';
import { err, ResultAsync, type Result } from 'neverthrow';
import { guard, ifThere } from '../guard.ts';
import { readTable } from './read-table.ts';
import { formatOf } from './table-format.ts';

export type FolderTablesOptions = {
  readonly nowMs: () => number;
  /** A file that changed a shorter time ago may still be written. */
  readonly settleMs?: number;
};
const SETTLE_MS = 5_000;
const TABLES_MAX = 10_000;

const infoOf = async (path: string, name: string): Promise<TableInfo | undefined> => {
  const found = await ifThere(stat(path, { bigint: true }));
  if (!found?.isFile()) return undefined;
  const { size, mtimeNs, mtimeMs } = found;
  return { name, version: `${size}-${mtimeNs}`, atMs: Number(mtimeMs) };
};

/** Reads rows of one file, as it is now. */
export const readTableFile = (
  path: string,
  cursor: string,
  limit: number,
): ResultAsync<TablePage, BadTable | Unavailable> => {
  const format = formatOf(path);
  const read = async (): Promise<Result<TablePage, BadTable | Unavailable>> => {
    if (!format)
      return err(badLine({ line: 0, message: 'the name of the file must end in .csv, .ndjson or .jsonl' }));
    let file: FileHandle | undefined;
    try {
      file = await open(path);
      return await readTable(file, format, cursor, limit);
    } catch (cause) {
      return err(unavailable(`the table ${path}`, cause));
    } finally {
      await file?.close();
    }
  };
  return new ResultAsync(read());
};

/** Tables as files: `<dir>/weekly/*.csv`, `<dir>/hourly/*.ndjson`. Files with other names are not tables. */
export const folderTableSource = (
  dir: string,
  { nowMs, settleMs = SETTLE_MS }: FolderTablesOptions,
): TableSource => {
  const pathOf = (kind: TableKind, name: string): string => join(dir, kind, name);
  return {
    list: (kind) =>
      guard(`tables in ${join(dir, kind)}`, async () => {
        const files = (await ifThere(readdir(join(dir, kind)))) ?? [];
        const names = files
          .filter((name) => !name.startsWith('.') && formatOf(name) !== undefined)
          .sort()
          .slice(-TABLES_MAX);
        const infos = await Promise.all(names.map((name) => infoOf(pathOf(kind, name), name)));
        return infos.filter(
          (info): info is TableInfo => info !== undefined && nowMs() - info.atMs >= settleMs,
        );
      }),
    read: (kind, table, cursor, limit) => {
      const path = pathOf(kind, table.name);
      const isSame = (): ResultAsync<boolean, Unavailable> =>
        guard(
          `the table ${table.name}`,
          async () => (await infoOf(path, table.name))?.version === table.version,
        );
      const moved: TableMoved = { kind: 'TableMoved', name: table.name };
      const read = async (): Promise<Result<TablePage, BadTable | TableMoved | Unavailable>> => {
        const before = await isSame();
        if (before.isErr()) return err(before.error);
        if (!before.value) return err(moved);
        const page = await readTableFile(path, cursor, limit);
        // What was read while the file changed is of no use.
        const after = await isSame();
        if (after.isErr()) return err(after.error);
        return after.value ? page : err(moved);
      };
      return new ResultAsync(read());
    },
  };
};
