import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { loadCatalogFiles } from '@doska/adapters-files';
import { catalogOf } from '@doska/core/catalog';
import { offersSchema } from '@doska/core/search';
import type { IndexName, IndexSchema } from '@doska/core/vasgen';
import { runBench, type Variant } from '../harness.ts';
import { benchSchema, upsertOf } from './corpus.ts';
import { freshDir, openInThread, removeDir } from './own.ts';

const BATCH = 1_000;
const bytesIn = (path: string): number =>
  statSync(path).isDirectory()
    ? readdirSync(path).reduce((sum, name) => sum + bytesIn(join(path, name)), 0)
    : statSync(path).size;

/** The same documents under all fields of the demo catalogue, and under only those that they use. */
export const runWide = async (documents: number): Promise<void> => {
  const demo = fileURLToPath(new URL('../../../packages/apps/catalog-api/demo/', import.meta.url));
  const content = (await loadCatalogFiles(demo))._unsafeUnwrap();
  const wide: IndexSchema = { ...offersSchema(catalogOf(1, content)), ...benchSchema };
  const batches = Array.from({ length: Math.ceil(documents / BATCH) }, (_, batch) =>
    Array.from({ length: Math.min(BATCH, documents - batch * BATCH) }, (_, at) =>
      upsertOf(batch * BATCH + at, 1),
    ),
  );
  const variant = (name: string, schema: IndexSchema): Variant => ({
    name,
    run: async (round) => {
      const dir = freshDir();
      const engine = await openInThread(dir);
      const index = `${name}-${round}` as IndexName;
      (await engine.create({ name: index, epoch: 1, schema }))._unsafeUnwrap();
      const began = performance.now();
      for (const batch of batches) (await engine.apply(index, batch))._unsafeUnwrap();
      const seconds = (performance.now() - began) / 1_000;
      (await engine.snapshot(index))._unsafeUnwrap();
      const [info] = (await engine.indexes())._unsafeUnwrap();
      const bytes = bytesIn(dir);
      await engine.close();
      removeDir(dir);
      sizes.set(name, bytes);
      return {
        value: documents / seconds,
        figures: {
          bytes_per_document: info!.bytesPerDocument,
          disk_bytes: bytes,
          fields: Object.keys(schema).length,
        },
      };
    },
  });
  const sizes = new Map<string, number>();
  /** Documents a byte, so that bigger is better. */
  const size = (name: string): Variant => ({
    name: `${name}_per_byte`,
    run: async (round) => {
      if (!sizes.has(name)) await variant(name, name === 'wide' ? wide : benchSchema).run(round + 1_000);
      return { value: documents / sizes.get(name)! };
    },
  });
  await runBench({
    name: 'engine --wide',
    unit: 'documents/s',
    variants: [variant('narrow', benchSchema), variant('wide', wide), size('narrow'), size('wide')],
    ratios: [
      { name: 'wide_apply', subject: 'wide', baseline: 'narrow', goal: 0.8 },
      {
        name: 'wide_bytes',
        subject: 'narrow_per_byte',
        baseline: 'wide_per_byte',
        goal: 1.25,
        isCost: true,
      },
    ],
  });
};
