import { table } from './table-spec.ts';

/** Small values by key, with compare-and-set. */
export const storedValues = table({
  name: 'stored_value',
  columns: { space: 'Utf8', key: 'Utf8', version: 'Uint64', value: 'String' },
  primaryKey: ['space', 'key'],
});
export const storageTables = [storedValues];
