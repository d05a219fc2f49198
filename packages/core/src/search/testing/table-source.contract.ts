import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { TableInfo, TableSource } from '../ctr/table-source.port.ts';
import type { TableKind, TableRow } from '../ctr/table-rows.ts';

export type TableSourceHarness = {
  readonly open: () => Promise<{
    readonly source: TableSource;
    /** Stores a complete table, or replaces it by other contents. */
    readonly put: (kind: TableKind, name: string, rows: readonly TableRow['values'][]) => Promise<void>;
    readonly remove: (kind: TableKind, name: string) => Promise<void>;
    readonly close: () => Promise<void>;
  }>;
  /** Names of tables as this source has them. */
  readonly nameOf: (n: number) => string;
};

export const tableSourceContract = (backend: string, { open, nameOf }: TableSourceHarness): void => {
  describe(`TableSource contract: ${backend}`, () => {
    type Opened = Awaited<ReturnType<typeof open>>;
    let opened: Opened;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());
    const names = async (kind: TableKind) =>
      (await opened.source.list(kind))._unsafeUnwrap().map(({ name }) => name);
    const infoOf = async (kind: TableKind, name: string): Promise<TableInfo> =>
      (await opened.source.list(kind))._unsafeUnwrap().find((one) => one.name === name)!;
    const rowsOf = (count: number) =>
      Array.from({ length: count }, (_, n) => ({ offer_id: `o${n}`, ctr: `0.${n}` }));
    const readAll = async (kind: TableKind, table: TableInfo, limit: number) => {
      const rows: TableRow[] = [];
      for (let cursor = ''; ;) {
        const page = (await opened.source.read(kind, table, cursor, limit))._unsafeUnwrap();
        expect(page.rows.length).toBeLessThanOrEqual(limit);
        rows.push(...page.rows);
        if (page.next === undefined) return rows;
        cursor = page.next;
      }
    };

    test('[S5] tables are listed by name, each kind apart', async () => {
      expect(await names('weekly')).toEqual([]);
      for (const n of [2, 1, 3]) await opened.put('hourly', nameOf(n), rowsOf(1));
      await opened.put('weekly', nameOf(9), rowsOf(1));
      expect(await names('hourly')).toEqual([nameOf(1), nameOf(2), nameOf(3)]);
      expect(await names('weekly')).toEqual([nameOf(9)]);
    });
    test('[S5] a table is read page by page, in its order, with the lines of its rows ascending', async () => {
      await opened.put('weekly', nameOf(1), rowsOf(7));
      const rows = await readAll('weekly', await infoOf('weekly', nameOf(1)), 3);
      expect(rows.map(({ values }) => values['offer_id'])).toEqual([
        'o0',
        'o1',
        'o2',
        'o3',
        'o4',
        'o5',
        'o6',
      ]);
      expect(rows.map(({ values }) => values['ctr'])).toEqual(rowsOf(7).map(({ ctr }) => ctr));
      const lines = rows.map(({ line }) => line);
      expect(lines).toEqual(lines.map((_, at) => lines[0]! + at));
    });
    test('[S5] a page may be read again', async () => {
      await opened.put('weekly', nameOf(1), rowsOf(5));
      const table = await infoOf('weekly', nameOf(1));
      const { next } = (await opened.source.read('weekly', table, '', 2))._unsafeUnwrap();
      const once = await opened.source.read('weekly', table, next!, 2);
      expect(await opened.source.read('weekly', table, next!, 2)).toEqual(once);
      expect(once._unsafeUnwrap().rows).toHaveLength(2);
    });
    test('[S5] a table that was replaced or removed on the way is not read on', async () => {
      await opened.put('weekly', nameOf(1), rowsOf(5));
      const table = await infoOf('weekly', nameOf(1));
      const { next } = (await opened.source.read('weekly', table, '', 2))._unsafeUnwrap();
      await opened.put('weekly', nameOf(1), rowsOf(4));
      expect((await infoOf('weekly', nameOf(1))).version).not.toBe(table.version);
      const moved = { kind: 'TableMoved', name: nameOf(1) };
      expect((await opened.source.read('weekly', table, next!, 2))._unsafeUnwrapErr()).toEqual(moved);
      await opened.remove('weekly', nameOf(1));
      expect((await opened.source.read('weekly', table, '', 2))._unsafeUnwrapErr()).toEqual(moved);
    });
  });
};
