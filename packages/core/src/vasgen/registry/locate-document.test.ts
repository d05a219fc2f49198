import { expect, onTestFinished, test } from 'vitest';
import { silentTelemetry } from '../../kernel/index.ts';
import { memoryDatabase, realClock, realRandom } from '../../kernel/testing.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { openVasgen } from '../open-vasgen.ts';
import { documentShard } from '../queues/shard-of-document.ts';
import { defaultVasgenSettings } from '../settings.ts';
import { SAMPLE_SHARDS, sampleClient, sampleDocument } from '../testing/document-samples.ts';
import { inMemoryArchivePorts } from '../testing/in-memory-archive-ports.ts';
import { inMemoryVasgenStores } from '../testing/in-memory-vasgen.ts';
import { jsonVasgenCodecs } from '../testing/json-vasgen-codecs.ts';

const client = sampleClient();
const { group } = defaultVasgenSettings.indexer;
const document = (given: Partial<RawDocument> = {}): RawDocument =>
  sampleDocument({ composedAtMs: Date.now(), ...given });

const open = async () => {
  const stores = inMemoryVasgenStores(memoryDatabase({ nowMs: () => realClock.nowMs() }));
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
    { ...defaultVasgenSettings, clients: [client], shards: SAMPLE_SHARDS },
  );
  (await vasgen.prepare())._unsafeUnwrap();
  onTestFinished(() => vasgen.close());
  const locate = async (pk: string) => (await vasgen.useCases.locateDocument(client, pk))._unsafeUnwrap();
  return { stores, vasgen, locate };
};

test('[V12] a document is found in the registry and its queue, and is told deleted or unknown', async () => {
  const { stores, vasgen, locate } = await open();
  const { pk } = document();
  expect(await locate(pk)).toEqual({
    epochs: [{ epoch: 1, state: 'serving', row: undefined, waiting: 0, failure: undefined }],
    refusals: [],
  });
  await vasgen.useCases.receiveDocuments(client, [document({ version: 3 })], 'main');
  expect(await locate(pk)).toMatchObject({
    epochs: [{ row: { status: 'alive', place: { version: 3 }, lane: 'main' }, waiting: 1 }],
  });
  const shard = documentShard(pk, SAMPLE_SHARDS);
  await stores.queues.advance(
    { client, queue: 'main', shard, group },
    { from: undefined, to: 1, failed: [], parked: [] },
  );
  expect(await locate(pk)).toMatchObject({ epochs: [{ waiting: 0 }] });
  await vasgen.useCases.receiveDocuments(
    client,
    [document({ version: 4, event: 'delete', fields: [], payload: undefined })],
    'main',
  );
  expect(await locate(pk)).toMatchObject({ epochs: [{ row: { status: 'tombstone' } }] });
});

test('[V12] a document that the receiver refused is told with the reason', async () => {
  const { vasgen, locate } = await open();
  await vasgen.useCases.receiveDocuments(client, [document({ pk: 'wrong', epoch: 9 })], 'main');
  expect(await locate('wrong')).toMatchObject({
    epochs: [{ row: undefined }],
    refusals: [{ pk: 'wrong', epoch: 9, verdict: 'unknown_epoch' }],
  });
});

test('[V12] a document that could not be converted is found among many that begin alike', async () => {
  const { stores, locate } = await open();
  const parked = Array.from({ length: 450 }, (_, n) => ({
    pk: `pk-${String(n).padStart(3, '0')}`,
    epoch: 1,
    version: 1,
    timestampMs: 1,
    failure: { queue: 'main' as const, reason: `reason ${n}`, attempts: 1, retryAtMs: 0 },
  }));
  const added = await stores.queues.advance(
    { client, queue: 'failed', shard: 0, group },
    { from: undefined, to: 1, failed: [], parked: [...parked, { ...parked[0]!, pk: 'pk-9', epoch: 2 }] },
  );
  expect(added.isOk()).toBe(true);
  for (const n of [0, 99, 100, 449])
    expect(await locate(parked[n]!.pk)).toMatchObject({
      epochs: [{ failure: { failure: { reason: `reason ${n}` } } }],
    });
  // It failed in another epoch.
  expect(await locate('pk-9')).toMatchObject({ epochs: [{ failure: undefined }] });
});
