import { Ydb } from 'ydb-sdk-proto';
import { YqlError } from '../yql-error.ts';
import { method, type Method } from './method.ts';

/** Folders of tables. One that is there may be made again. */
export class Directories {
  readonly #paths: Set<string>;
  constructor(root: string) {
    this.#paths = new Set([root]);
  }
  make(path: string): void {
    this.mustHoldParentOf(path);
    this.#paths.add(path);
  }
  mustHoldParentOf(path: string): void {
    const parent = path.slice(0, path.lastIndexOf('/'));
    if (!this.#paths.has(parent)) throw new YqlError('SCHEME_ERROR', `Path does not exist: ${parent}`);
  }
}
const S = Ydb.Scheme;
export const schemeMethods = (directories: Directories): readonly Method[] => [
  method(
    '/Ydb.Scheme.V1.SchemeService/MakeDirectory',
    S.MakeDirectoryRequest,
    S.MakeDirectoryResponse,
    ({ path }, refuse) => {
      refuse();
      directories.make(path);
      return undefined;
    },
  ),
];
