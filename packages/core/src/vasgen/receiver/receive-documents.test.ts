import { errAsync } from 'neverthrow';
import { expect, onTestFinished, test } from 'vitest';
import { silentTelemetry, unavailable } from '../../kernel/index.ts';
import { memoryDatabase, realClock, realRandom } from '../../kernel/testing.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { openVasgen } from '../open-vasgen.ts';
import { defaultVasgenSettings } from '../settings.ts';
import { SAMPLE_SHARDS, sampleClient, sampleDocument } from '../testing/document-samples.ts';
import { inMemoryVasgenStores } from '../testing/in-memory-vasgen.ts';
import { inMemoryArchivePorts } from '../testing/in-memory-archive-ports.ts';
import { jsonVasgenCodecs } from '../testing/json-vasgen-codecs.ts';
import type { DocumentRegistry } from '../registry/document-registry.port.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';

const client = sampleClient();
const document = (given: Partial<RawDocument> = {}): RawDocument =>
  sampleDocument({ composedAtMs: Date.now(), ...given });
const field = (name: string, value: number | string) => ({
  name,
  kind: typeof value === 'number' ? ('number' as const) : ('enum' as const),
  multiple: false,
  value,
});

const open = async (
  accept: (real: DocumentRegistry['accept']) => DocumentRegistry['accept'] = (real) => real,
  db = memoryDatabase({ nowMs: () => realClock.nowMs() }),
) => {
  const real = inMemoryVasgenStores(db);
  const stores: VasgenStores = {
    ...real,
    registry: { ...real.registry, accept: accept(real.registry.accept) },
  };
  const vasgen = openVasgen(
    {
      ...inMemoryArchivePorts(),
      stores,
      codecs: jsonVasgenCodecs,
      log: { promises: { fences: false, joinsTransactions: false } } as never,
      clock: realClock,
      random: realRandom,
      telemetry: silentTelemetry,
    },
    {
      ...defaultVasgenSettings,
      clients: [client],
      shards: SAMPLE_SHARDS,
      retry: { firstMs: 1, factor: 1, maxMs: 1, jitter: 0, attemptsMax: 3 },
    },
  );
  (await vasgen.prepare())._unsafeUnwrap();
  onTestFinished(() => vasgen.close());
  const receive = async (...documents: readonly RawDocument[]) =>
    (await vasgen.useCases.receiveDocuments(client, documents, 'main'))._unsafeUnwrap();
  const kinds = async (...documents: readonly RawDocument[]) =>
    (await receive(...documents)).map(({ kind }) => kind);
  const rows = async () => (await real.registry.scan(client, 1, { limit: 100 }))._unsafeUnwrap().rows;
  const schema = async () => (await real.epochs.load(client))._unsafeUnwrap().epochs[0]!.schema;
  return { vasgen, real, db, receive, kinds, rows, schema };
};

test('[V1] a bad document does not keep the others of its batch out, and nothing of it is written', async () => {
  const { kinds, rows } = await open();
  expect(
    await kinds(
      document({ pk: 'a' }),
      document({ pk: '' }),
      document({ pk: 'b', version: -1 }),
      document({ pk: 'c' }),
    ),
  ).toEqual(['accepted', 'invalid', 'invalid', 'accepted']);
  expect((await rows()).map(({ pk }) => pk).toSorted()).toEqual(['a', 'c']);
});

test('[V1] two documents of one key in a batch are judged in their order', async () => {
  const { kinds, rows } = await open();
  const at = Date.now();
  const older = document({ version: 1, composedAtMs: at });
  const newer = document({ version: 2, composedAtMs: at });
  expect(await kinds(newer, older, newer)).toEqual(['accepted', 'stale', 'duplicate']);
  expect((await rows())[0]?.place.version).toBe(2);
});

test('[V1] an unknown client and an epoch that does not live are told, with the living epochs', async () => {
  const { vasgen, receive } = await open();
  const unknown = await vasgen.useCases.receiveDocuments(sampleClient('others'), [document()], 'main');
  expect(unknown._unsafeUnwrapErr()).toMatchObject({ kind: 'UnknownClient' });
  expect(await receive(document({ epoch: 9 }))).toMatchObject([{ kind: 'unknown_epoch', living: [1] }]);
});

test('[V11] an epoch that another process has made is known at its first document', async () => {
  const { real, kinds } = await open();
  expect(await kinds(document())).toEqual(['accepted']);
  const { version } = (await real.epochs.load(client))._unsafeUnwrap();
  const states = [
    { epoch: 1, state: 'serving' as const },
    { epoch: 2, state: 'building' as const },
  ];
  (await real.epochs.change(client, version, states))._unsafeUnwrap();
  expect(await kinds(document({ epoch: 2 }))).toEqual(['accepted']);
});

test('[V1] [V3] a store that is away leaves documents without an outcome, and nothing is acknowledged', async () => {
  const { kinds, rows } = await open(() => () => errAsync(unavailable('store')));
  expect(await kinds(document({ pk: 'a' }), document({ pk: 'b' }))).toEqual(['unavailable', 'unavailable']);
  expect(await rows()).toEqual([]);
});

test('[V3] an answer that was lost after the commit is settled by the row that stands, never as a duplicate', async () => {
  let isLost = false;
  const { kinds, rows } = await open((real) => (...args) => {
    const answer = real(...args);
    if (!isLost) return answer;
    isLost = false;
    return answer.andThen(() => errAsync(unavailable('the answer was lost')));
  });
  await kinds(document({ pk: 'first' }));
  isLost = true;
  expect(await kinds(document())).toEqual(['accepted']);
  expect(isLost).toBe(false);
  expect(await rows()).toHaveLength(2);
});

test('[V1] a document that the store can never take is invalid, and the others of its group are stored', async () => {
  const { receive, kinds } = await open(
    (real) => (name, writes, growth) =>
      writes.some(({ row }) => row.pk === 'bad')
        ? errAsync(unavailable('data exception', undefined, false))
        : real(name, writes, growth),
  );
  await kinds(document({ pk: 'first' }));
  expect(await receive(document({ pk: 'a' }), document({ pk: 'bad' }), document({ pk: 'b' }))).toMatchObject([
    { kind: 'accepted' },
    { kind: 'invalid', violations: [{ code: 'Unstorable' }] },
    { kind: 'accepted' },
  ]);
});

test('[V4] receivers that grow a schema at the same time agree through the store', async () => {
  const first = await open();
  const second = await open((real) => real, first.db);
  await Promise.all(
    Array.from({ length: 10 }, (_, n) =>
      (n % 2 === 0 ? first : second).kinds(document({ pk: `d${n}`, fields: [field(`f${n % 4}`, n)] })),
    ),
  );
  const { number, fields } = await first.schema();
  expect(Object.keys(fields).toSorted()).toEqual(['f0', 'f1', 'f2', 'f3']);
  expect(number).toBe(4);
  const conflict = await second.receive(document({ pk: 'x', fields: [field('f0', 'text')] }));
  expect(conflict).toMatchObject([
    { kind: 'invalid', epoch: 1, violations: [{ path: 'f0', expected: 'number', actual: 'enum' }] },
  ]);
});
