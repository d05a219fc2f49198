import { fileURLToPath } from 'node:url';
import { loadCatalogFiles } from '@doska/adapters-files';
import { startProblem, type StartProblem } from '@doska/app-composition';
import type { CatalogStore, CatalogUseCases } from '@doska/core/catalog';
import { err, ok, type Result } from 'neverthrow';

/** The sample catalogue; the same place seen from `src` and from `dist`. */
export const DEMO_DIR = fileURLToPath(new URL('../demo/', import.meta.url));

/** Publishes the sample catalogue if there is none. If two processes try at once, one of them publishes it. */
export const publishDemo = async (
  store: CatalogStore,
  publish: CatalogUseCases['publish'],
): Promise<Result<void, StartProblem>> => {
  const current = await store.current();
  if (current.isErr()) return err(startProblem(`the catalogue can't be read: ${current.error.what}`));
  if (current.value) return ok(undefined);
  const content = await loadCatalogFiles(DEMO_DIR);
  if (content.isErr())
    return err(
      startProblem(
        'the demo catalogue is broken:',
        ...content.error.mistakes.map(({ file, path, message }) => `${file} ${path}: ${message}`),
      ),
    );
  const published = await publish({ content: content.value, expected: 0 });
  if (published.isErr() && published.error.kind !== 'VersionTaken')
    return err(startProblem(`the demo catalogue could not be published: ${published.error.kind}`));
  return ok(undefined);
};
