import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { randomUUID } from 'node:crypto';
import { loadCatalogFiles } from '@doska/adapters-files';
import {
  catalogClient,
  catalogService,
  grpcChannel,
  grpcServer,
  type CatalogClient,
  type GrpcServer,
} from '@doska/adapters-grpc';
import { pgCatalogStore } from '@doska/adapters-pg';
import { catalogCodec } from '@doska/adapters-proto';
import { CatalogServiceDefinition, Language } from '@doska/adapters-proto/generated/doska/catalog/v1/catalog';
import {
  catalogOf,
  openCatalog,
  type CatalogContent,
  type CatalogStore,
  type CategoryId,
} from '@doska/core/catalog';
import { parseRole, silentTelemetry, type Authenticator } from '@doska/core/kernel';
import { eventually, realClock, realIds, realRandom } from '@doska/core/kernel/testing';
import { errAsync, okAsync } from 'neverthrow';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { DEMO_DIR } from './demo.ts';

/** The token is the role. */
const authenticator: Authenticator = {
  authenticate: (token) =>
    parseRole(token).match(
      (role) => okAsync({ subject: 'test', roles: [role] }),
      () => errAsync({ kind: 'Unauthenticated', reason: 'no' }),
    ),
};
const { logger } = silentTelemetry;

let database: FreshDatabase;
let demo: CatalogContent;
const running: { server?: GrpcServer; stopCache?: AbortController; port: number } = { port: 0 };
const start = async (): Promise<void> => {
  const store = pgCatalogStore({ pool: database.pool, codec: catalogCodec, newUpload: randomUUID });
  const { cache, useCases } = openCatalog(
    { store, clock: realClock, random: realRandom, logger },
    { pollMs: 50 },
  );
  const stopCache = new AbortController();
  void cache.run(stopCache.signal);
  await cache.atLeast(1);
  const service = catalogService({
    ...useCases,
    access: { public: { ratePerMinute: 100_000 } },
    maxAgeSec: 60,
  });
  const server = await grpcServer({
    listen: { host: '127.0.0.1', port: running.port, whenBusy: 'refuse' },
    services: [service],
    authenticator,
    clock: realClock,
    ids: realIds,
    telemetry: silentTelemetry,
  });
  Object.assign(running, { server: server._unsafeUnwrap(), stopCache, port: server._unsafeUnwrap().port });
};
const publishOn = (store: CatalogStore) =>
  openCatalog({ store, clock: realClock, random: realRandom, logger }, { pollMs: 50 }).useCases.publish;
const stop = async (): Promise<void> => {
  running.stopCache?.abort();
  await running.server?.stop(1_000);
};
const channel = (token?: string) => {
  const opened = grpcChannel({
    target: `127.0.0.1:${running.port}`,
    clock: realClock,
    ...(token ? { token } : {}),
  });
  onTestFinished(() => opened.close());
  return opened;
};
const client = (token?: string): CatalogClient => catalogClient(channel(token));
const raw = () => channel().client(CatalogServiceDefinition);

beforeAll(async () => {
  database = await freshDatabase();
  demo = (await loadCatalogFiles(DEMO_DIR))._unsafeUnwrap();
  await start();
});
afterAll(async () => {
  await stop();
  await database.drop();
});

describe('catalog-api', () => {
  test('[C4] before the first version there is nothing to read', async () => {
    expect((await client().newest())._unsafeUnwrap()).toBe(0);
    expect((await client().tree())._unsafeUnwrapErr()).toMatchObject({
      kind: 'Rejected',
      reason: 'CatalogEmpty',
      code: 'NOT_FOUND',
    });
    expect((await client().fetch())._unsafeUnwrap()).toBeUndefined();
  });
  test('[C4] only operators publish', async () => {
    expect((await client().publish(demo))._unsafeUnwrapErr().kind).toBe('Unauthenticated');
    expect((await client('seller:7').publish(demo))._unsafeUnwrapErr().kind).toBe('PermissionDenied');
  });
  test('[C6] the sample catalogue is published whole, and comes back as it was', async () => {
    expect(demo.categories.length).toBeGreaterThanOrEqual(150);
    expect(demo.attributes.length).toBeGreaterThanOrEqual(300);
    const depth = Math.max(...demo.categories.map(({ id }) => catalogOf(1, demo).path(id).length));
    expect(depth).toBeGreaterThanOrEqual(5);
    expect((await client('operator').publish(demo, { expected: 0 }))._unsafeUnwrap()).toMatchObject({
      publishedVersion: 1,
      baseVersion: 0,
    });
    await eventually(async () =>
      expect((await client().fetch())._unsafeUnwrap()).toEqual({ version: 1, content: demo }),
    );
  });
  test('[C4] the tree holds every live category, parents first', async () => {
    await eventually(async () => expect((await client().tree()).isOk()).toBe(true));
    const { nodes, version } = (await client().tree())._unsafeUnwrap();
    expect(version).toBe(1);
    expect(nodes).toHaveLength(demo.categories.length);
    const seen = new Set(['']);
    for (const { id, parentId } of nodes) {
      expect(seen.has(parentId)).toBe(true);
      seen.add(id);
    }
  });
  test('[C4] a category with its effective attributes, filters and path', async () => {
    const { details } = (await client().category('cars-used-toyota'))._unsafeUnwrap();
    expect(details.pathIds).toEqual(['all', 'transport', 'cars', 'cars-used', 'cars-used-toyota']);
    const brand = details.attributes.find(({ attribute }) => attribute?.id === 'car-brand')!;
    expect(brand).toMatchObject({ required: true, declaredBy: 'cars' });
    expect(brand.attribute!.type).toMatchObject({
      $case: 'dictionary',
      value: { values: [{ id: 'toyota' }] },
    });
    expect(details.attributes.find(({ attribute }) => attribute?.id === 'mileage')).toMatchObject({
      min: 1,
      max: 2_000_000,
    });
    const expected = catalogOf(1, demo).effectiveAttributes('cars-used-toyota' as CategoryId);
    expect(details.attributes.map(({ attribute }) => attribute?.id)).toEqual(
      expected.map(({ attribute }) => attribute.id),
    );
  });
  test('[C1] below "Job" salary, employment and schedule stand in place of the price', async () => {
    const { standardFilters } = (
      await raw().getCategory({ id: 'vacancies-it', version: 0, language: 0 })
    )._unsafeUnwrap().details!;
    expect(standardFilters).toEqual([2, 3, 4, 5, 6, 7, 8]);
  });
  test('[C4] names in the language asked for', async () => {
    const ask = async (language: Language) =>
      (await raw().getCategory({ id: 'cars', version: 0, language }))._unsafeUnwrap().details!;
    expect((await ask(Language.LANGUAGE_RU)).category!.names).toEqual({
      ru: 'Автомобили',
      en: '',
      synonymsRu: ['легковые автомобили', 'машины', 'авто'],
      synonymsEn: [],
    });
    expect((await ask(Language.LANGUAGE_EN)).category!.names).toEqual({
      ru: '',
      en: 'Cars',
      synonymsRu: [],
      synonymsEn: ['automobiles'],
    });
    expect((await ask(Language.LANGUAGE_EN)).attributes[0]!.attribute!.names!.ru).toBe('');
  });
  test('[C4] several at once, in the order asked; unknown ones are named', async () => {
    const { details, unknownIds } = (
      await raw().batchGetCategories({ ids: ['dogs', 'nothing', 'cars'], version: 0, language: 0 })
    )._unsafeUnwrap();
    expect(details.map(({ category }) => category!.id)).toEqual(['dogs', 'cars']);
    expect(unknownIds).toEqual(['nothing']);
    const many = Array.from({ length: 101 }, () => 'cars');
    expect(
      (await raw().batchGetCategories({ ids: many, version: 0, language: 0 }))._unsafeUnwrapErr(),
    ).toMatchObject({ kind: 'InvalidInput', violations: [{ path: 'ids' }] });
  });
  test('[C4] what does not exist is said by name', async () => {
    expect((await client().category('nothing'))._unsafeUnwrapErr()).toMatchObject({
      reason: 'UnknownCategory',
      message: 'there is no category nothing',
    });
    expect((await client().category('cars', { version: 99 }))._unsafeUnwrapErr()).toMatchObject({
      reason: 'UnknownVersion',
      code: 'NOT_FOUND',
    });
  });
  test('[C2] a broken catalogue is refused with every mistake, and nothing is published', async () => {
    const broken = {
      ...demo,
      categories: demo.categories.map((category) =>
        category.id === 'cars' ? { ...category, parent: 'lost' as CategoryId } : category,
      ),
    };
    const refused = (await client('operator').publish(broken))._unsafeUnwrapErr();
    expect(refused).toMatchObject({
      kind: 'InvalidInput',
      violations: [{ path: 'categories/cars/parent', code: 'UnknownParent' }],
    });
    expect((await client().newest())._unsafeUnwrap()).toBe(1);
  });
  test('[C3] a new version retires what it leaves out; the old one stays readable; changes can be asked', async () => {
    const next = { ...demo, categories: demo.categories.filter(({ id }) => id !== 'rodents') };
    const operator = client('operator');
    expect((await operator.publish(next, { dryRun: true }))._unsafeUnwrap()).toMatchObject({
      publishedVersion: 0,
      changes: [{ thing: 'category', id: 'rodents', change: 'retired' }],
    });
    expect((await operator.publish(next, { expected: 7 }))._unsafeUnwrapErr()).toMatchObject({
      reason: 'VersionTaken',
      code: 'ABORTED',
    });
    expect((await operator.publish(next))._unsafeUnwrap().publishedVersion).toBe(2);
    await eventually(async () =>
      expect((await client().category('rodents'))._unsafeUnwrap()).toMatchObject({
        version: 2,
        details: { category: { retired: true } },
      }),
    );
    expect(
      (await client().category('rodents', { version: 1 }))._unsafeUnwrap().details.category!.retired,
    ).toBe(false);
    expect((await client().changes(1))._unsafeUnwrap()).toEqual({
      version: 2,
      changes: [{ thing: 'category', id: 'rodents', change: 'retired' }],
    });
    expect((await client().changes(0, 1))._unsafeUnwrap().changes.length).toBeGreaterThan(1_000);
  });
  test('[C3] a type that changes needs the word', async () => {
    const changed: CatalogContent = {
      ...demo,
      attributes: demo.attributes.map((attribute) =>
        attribute.id === 'vin' ? { ...attribute, type: { kind: 'boolean' } } : attribute,
      ),
    };
    expect((await client('operator').publish(changed))._unsafeUnwrapErr()).toMatchObject({
      reason: 'TypeChanges',
      code: 'FAILED_PRECONDITION',
      message: expect.stringContaining('vin: string → boolean') as string,
    });
    expect((await client('operator').publish(changed, { allowTypeChanges: true, dryRun: true })).isOk()).toBe(
      true,
    );
  });
  test('[C4] an upload that was cut off publishes nothing', async () => {
    const before = (await client().newest())._unsafeUnwrap();
    const cut = await channel('operator')
      .client(CatalogServiceDefinition)
      .publishCatalog(
        (async function* () {
          yield {
            piece: {
              $case: 'header' as const,
              value: { expectedVersion: undefined, allowTypeChanges: false, dryRun: false },
            },
          };
        })(),
      );
    expect(cut._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput', violations: [{ path: 'end' }] });
    expect((await client().newest())._unsafeUnwrap()).toBe(before);
  });
});

describe('a caching client', () => {
  test('[C5] goes on serving while the service is away, says how old its copy is, and picks up what was published meanwhile', async () => {
    const store = pgCatalogStore({ pool: database.pool, codec: catalogCodec, newUpload: randomUUID });
    const { cache } = openCatalog(
      { store, source: client(), clock: realClock, random: realRandom, logger },
      { pollMs: 50 },
    );
    const over = new AbortController();
    onTestFinished(() => over.abort());
    void cache.run(over.signal);
    await eventually(() => expect(cache.copy().isOk()).toBe(true));
    const before = cache.copy()._unsafeUnwrap().catalog;

    await stop();
    await eventually(() => expect(cache.copy()._unsafeUnwrap().ageMs).toBeGreaterThan(300));
    expect(
      cache
        .copy()
        ._unsafeUnwrap()
        .catalog.effectiveAttributes('cars' as CategoryId).length,
    ).toBeGreaterThan(10);

    const without = { ...demo, categories: demo.categories.filter(({ id }) => id !== 'birds') };
    const published = (await publishOn(store)({ content: without }))._unsafeUnwrap().published!;
    await start();
    await eventually(() => expect(cache.copy()._unsafeUnwrap().catalog.version).toBe(published.version));
    expect(
      cache
        .copy()
        ._unsafeUnwrap()
        .catalog.category('birds' as CategoryId),
    ).toMatchObject({ retired: true });
    expect(before.category('birds' as CategoryId)).toMatchObject({ retired: false });
  });
});
