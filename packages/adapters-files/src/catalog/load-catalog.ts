import { readdir, readFile, stat } from 'node:fs/promises';
import { join, relative } from 'node:path';
import { checkCatalog, type CatalogContent, type CatalogMistake } from '@doska/core/catalog';
import { err, ok, type Result } from 'neverthrow';
import { attributesOf, CatalogFile, categoriesOf } from './catalog-file.ts';

/** All mistakes with their positions. Nothing was loaded. */
export type CatalogFilesBroken = {
  readonly kind: 'CatalogFilesBroken';
  readonly mistakes: readonly FileMistake[];
};
export type FileMistake = { readonly file: string; readonly path: string; readonly message: string };

const FILE_BYTES_MAX = 16 << 20;

const filesIn = async (dir: string): Promise<readonly string[]> =>
  (await readdir(dir, { recursive: true })).filter((name) => name.endsWith('.json')).sort();

const parse = async (dir: string, file: string): Promise<Result<CatalogFile, FileMistake[]>> => {
  const path = join(dir, file);
  if ((await stat(path)).size > FILE_BYTES_MAX)
    return err([{ file, path: '', message: `larger than ${FILE_BYTES_MAX} bytes` }]);
  try {
    const parsed = CatalogFile.safeParse(JSON.parse(await readFile(path, 'utf8')));
    if (parsed.success) return ok(parsed.data);
    return err(
      parsed.error.issues.map(({ path: at, message }) => ({ file, path: at.map(String).join('.'), message })),
    );
  } catch (cause) {
    return err([{ file, path: '', message: cause instanceof Error ? cause.message : 'not JSON' }]);
  }
};
/** The core reports mistakes by id. This adds the file, which is what a person looks for. */
const inFiles = (mistakes: readonly CatalogMistake[], files: ReadonlyMap<string, string>): FileMistake[] =>
  mistakes.map(({ code, path, message }) => {
    const [kind, id] = path.split('/');
    return { file: files.get(`${kind}/${id}`) ?? '', path, message: `${code}: ${message}` };
  });

/** Loads a catalogue from the JSON files of a folder and its subfolders, and checks all files together. */
export const loadCatalogFiles = async (dir: string): Promise<Result<CatalogContent, CatalogFilesBroken>> => {
  const names = await filesIn(dir).catch((cause: unknown) =>
    cause instanceof Error ? cause : new Error('unreadable'),
  );
  const broken = (...mistakes: readonly FileMistake[]): Result<never, CatalogFilesBroken> =>
    err({ kind: 'CatalogFilesBroken', mistakes });
  if (names instanceof Error)
    return broken({ file: relative('.', dir) || dir, path: '', message: names.message });
  if (names.length === 0) return broken({ file: dir, path: '', message: 'no .json file' });
  const parsed = await Promise.all(names.map((name) => parse(dir, name)));
  const wrong = parsed.flatMap((one) => (one.isErr() ? one.error : []));
  if (wrong.length > 0) return broken(...wrong);
  const files = parsed.flatMap((one, i) => (one.isOk() ? [{ name: names[i] ?? '', file: one.value }] : []));
  const where = new Map(
    files.flatMap(({ name, file }) => [
      ...file.categories.map(({ id }) => [`categories/${id}`, name] as const),
      ...file.attributes.map(({ id }) => [`attributes/${id}`, name] as const),
    ]),
  );
  const content: CatalogContent = {
    categories: files.flatMap(({ file }) => categoriesOf(file)),
    attributes: files.flatMap(({ file }) => attributesOf(file)),
  };
  return checkCatalog(content).mapErr(({ mistakes }) => ({
    kind: 'CatalogFilesBroken',
    mistakes: inFiles(mistakes, where),
  }));
};
