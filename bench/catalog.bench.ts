import { randomUUID } from 'node:crypto';
import { catalogClient, catalogService, grpcChannel, grpcServer } from '@doska/adapters-grpc';
import { createPool, migrate, pgCatalogStore } from '@doska/adapters-pg';
import { catalogCodec } from '@doska/adapters-proto';
import {
  catalogOf,
  checkCatalog,
  noOverride,
  openCatalog,
  type Attribute,
  type AttributeId,
  type CatalogContent,
  type Category,
  type CategoryId,
  type ValueId,
} from '@doska/core/catalog';
import { silentTelemetry, type Clock } from '@doska/core/kernel';
import { errAsync, okAsync } from 'neverthrow';
import { runBench, type Measured } from './harness.ts';
import { benchPostgres } from './postgres.ts';

/** A catalogue of 10,000 categories: how fast it is checked, stored, loaded and asked. */
const CATEGORIES = 10_000;
const ATTRIBUTES = 500;
const names = (text: string) => ({
  ru: `${text} по-русски`,
  en: text,
  synonyms: { ru: [`${text} иначе`], en: [] },
});
const attributes: Attribute[] = Array.from({ length: ATTRIBUTES }, (_, i) => ({
  id: `a${i}` as AttributeId,
  names: names(`attribute ${i}`),
  multiple: false,
  filterable: true,
  retired: false,
  type:
    i % 2
      ? { kind: 'number', range: { min: 0, max: 1_000 }, unit: undefined }
      : {
          kind: 'dictionary',
          values: Array.from({ length: 20 }, (__, v) => ({
            id: `v${v}` as ValueId,
            names: names(`value ${v}`),
            retired: false,
          })),
        },
}));
const categories: Category[] = Array.from({ length: CATEGORIES }, (_, i) => ({
  id: `c${i}` as CategoryId,
  parent: i === 0 ? undefined : (`c${Math.floor((i - 1) / 10)}` as CategoryId),
  names: names(`category ${i}`),
  filters: noOverride,
  retired: false,
  attributes:
    i === 0
      ? []
      : [
          { attribute: `a${i % ATTRIBUTES}` as AttributeId },
          { attribute: `a${(i * 7 + 1) % ATTRIBUTES}` as AttributeId },
        ].filter((use, at, all) => at === 0 || use.attribute !== all[0]!.attribute),
}));
const content: CatalogContent = { categories, attributes };

const clock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    const timer = setTimeout(work, ms);
    return () => clearTimeout(timer);
  },
};
const rate = async (seconds: number, work: () => unknown): Promise<Measured> => {
  const startedMs = performance.now();
  let n = 0;
  while (performance.now() - startedMs < seconds * 1_000) {
    await work();
    n++;
  }
  return { value: n / ((performance.now() - startedMs) / 1_000) };
};

const postgres = await benchPostgres();
const pool = createPool({ url: postgres.url, max: 4, applicationName: 'doska-bench' });
(await migrate(pool))._unsafeUnwrap();
const store = pgCatalogStore({ pool, codec: catalogCodec, newUpload: randomUUID });
const { version } = (await store.publish(content, 0))._unsafeUnwrap();
const catalog = catalogOf(version, content);
const { useCases } = openCatalog(
  { store, clock, random: { below: () => 0 }, logger: silentTelemetry.logger },
  { pollMs: 1_000 },
);
const service = catalogService({
  maxAgeSec: 60,
  catalog: () => okAsync(catalog),
  newest: () => okAsync(version),
  changes: useCases.changes,
  publish: useCases.publish,
  access: { public: { ratePerMinute: Infinity } },
});
const server = (
  await grpcServer({
    listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
    services: [service],
    clock,
    ids: { next: randomUUID },
    telemetry: silentTelemetry,
    authenticator: { authenticate: () => errAsync({ kind: 'Unauthenticated', reason: '' }) },
  })
)._unsafeUnwrap();
const channel = grpcChannel({ target: `127.0.0.1:${server.port}`, clock });
const client = catalogClient(channel);
const ids = categories.map(({ id }) => id);
let at = 0;
const nextId = (): CategoryId => ids[(at += 7_919) % ids.length]!;

await runBench({
  name: 'catalog',
  unit: 'per second',
  ratios: [],
  variants: [
    {
      name: 'checks',
      run: () =>
        rate(1, () => {
          if (checkCatalog(content).isErr()) throw new Error('the catalogue is broken');
        }),
    },
    {
      name: 'loads',
      run: () =>
        rate(2, async () => {
          if ((await store.load(version))._unsafeUnwrap().categories.length !== CATEGORIES)
            throw new Error('categories are missing');
        }),
    },
    {
      name: 'fetches_over_grpc',
      run: () =>
        rate(2, async () => {
          if ((await client.fetch())._unsafeUnwrap()!.content.categories.length !== CATEGORIES)
            throw new Error('categories are missing');
        }),
    },
    {
      name: 'first_asks',
      run: () =>
        rate(1, () => {
          if (catalogOf(version, content).effectiveAttributes(nextId()).length === 0)
            throw new Error('no attributes');
        }),
    },
    {
      name: 'gets_in_process',
      run: () =>
        rate(1, () => {
          for (let i = 0; i < 1_000; i++) catalog.effectiveAttributes(nextId());
        }).then(({ value }) => ({ value: value * 1_000 })),
    },
    {
      name: 'gets_over_grpc',
      run: () =>
        rate(2, () =>
          Promise.all(
            Array.from({ length: 64 }, async () => {
              const id = nextId();
              if ((await client.category(id))._unsafeUnwrap().details.category?.id !== id)
                throw new Error('another category');
            }),
          ),
        ).then(({ value }) => ({ value: value * 64 })),
    },
  ],
});
channel.close();
await server.stop(1_000);
await pool.end();
await postgres.stop();
