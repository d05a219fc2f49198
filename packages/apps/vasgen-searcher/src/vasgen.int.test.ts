import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import {
  archiveClient,
  epochClient,
  grpcChannel,
  searcherClient,
  type GrpcChannel,
} from '@doska/adapters-grpc';
import {
  PushBatchRequest,
  PushBatchResponse,
  ReceiverServiceDefinition,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/receiver_service';
import {
  DocumentEvent,
  VerdictKind,
  type RawDocument,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/document';
import { loadConfig, startHost, Tokens, systemClock, type RunningHost } from '@doska/app-composition';
import { vasgenIndexer } from '@doska/app-vasgen-indexer';
import { vasgenReceiver } from '@doska/app-vasgen-receiver';
import { contexts } from '@doska/app-wiring';
import { VasgenTokens } from '@doska/app-wiring/vasgen';
import { vasgenCodecs } from '@doska/adapters-proto';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { ChannelCredentials, Client, Metadata } from '@grpc/grpc-js';
import { LIVE_TOPIC, REJECTED_TOPIC, type ClientName } from '@doska/core/vasgen';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vasgenSearcher } from './index.ts';

const things = 'things' as ClientName;
const books = 'books' as ClientName;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-vasgen-'));
let database: FreshDatabase;
let host: RunningHost;
let channel: GrpcChannel;

const start = async (): Promise<void> => {
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_PARTITIONS: '2',
    DOSKA_VASGEN_CLIENTS: 'things,books',
    DOSKA_VASGEN_SHARDS: '4',
    DOSKA_VASGEN_PROMOTION_WAIT_MS: '4000',
    DOSKA_VASGEN_ARCHIVE_LINGER_MS: '0',
    DOSKA_VASGEN_ARCHIVE_SCRUB_MS: '300',
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  host = (await startHost('vasgen', [vasgenReceiver, vasgenIndexer, vasgenSearcher], config))._unsafeUnwrap();
  channel = await channelOf('service');
  await eventually(async () => expect((await fetch(`${host.run.httpUrl}/readyz`)).status).toBe(200));
};
const channelOf = async (role: string): Promise<GrpcChannel> => {
  const roles = [parseRole(role)._unsafeUnwrap()];
  const issued = await host.container.get(Tokens.issueToken)({ subject: 'test', roles, ttlSec: 600 });
  const token = issued._unsafeUnwrap();
  return grpcChannel({ target: host.run.grpcAddress, clock: systemClock, token });
};
beforeAll(async () => {
  database = await freshDatabase();
  await start();
});
afterAll(async () => {
  channel?.close();
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

let composed = 0;
const document = (pk: string, given: Partial<RawDocument> = {}): RawDocument => ({
  pk,
  event: DocumentEvent.DOCUMENT_EVENT_UPSERT,
  epoch: 1n,
  version: 1n,
  modifyTimestampMs: BigInt(Date.now() - 60_000 + composed++),
  fields: [
    { name: 'title', value: { $case: 'text', value: `красный велосипед ${pk}` } },
    { name: 'price', value: { $case: 'number', value: 100 } },
    { name: 'color', value: { $case: 'enum', value: 'red' } },
  ],
  embeddings: [],
  expiresAtMs: undefined,
  payload: undefined,
  ...given,
});
const push = async (client: string, ...documents: RawDocument[]): Promise<readonly VerdictKind[]> => {
  const receiver = channel.client(ReceiverServiceDefinition);
  const answer = await receiver.pushBatch({ client, documents, bulk: false }, { deadlineMs: 10_000 });
  return answer._unsafeUnwrap().verdicts.map(({ kind }) => kind);
};
const find = async (client: ClientName, words: string): Promise<readonly string[]> => {
  const request = { plan: '', text: { words }, page: { limit: 100 } };
  const answer = await searcherClient(channel).execute(client, request);
  return answer._unsafeUnwrap().hits.map(({ pk }) => pk);
};
const found = (client: ClientName, words: string, pks: readonly string[]): Promise<void> =>
  eventually(async () => expect((await find(client, words)).toSorted()).toEqual(pks.toSorted()));

test('[V1] [V9] documents that were pushed over gRPC are found by their words, and deletes take them out', async () => {
  expect(await push('things', document('a'), document('b'), document('c', { fields: [] }))).toEqual([
    VerdictKind.VERDICT_KIND_ACCEPTED,
    VerdictKind.VERDICT_KIND_ACCEPTED,
    VerdictKind.VERDICT_KIND_INVALID,
  ]);
  await found(things, 'велосипеды', ['a', 'b']);
  await push(
    'things',
    document('a', { event: DocumentEvent.DOCUMENT_EVENT_DELETE, version: 2n, fields: [] }),
  );
  await found(things, 'велосипеды', ['b']);
  expect(await push('things', document('a'))).toEqual([VerdictKind.VERDICT_KIND_STALE]);
});

test('[V9] a declared plan counts and boosts, and the answer names epoch, searcher and state', async () => {
  const plans = {
    shop: { boosts: [{ field: 'price', weight: 1 }], counts: [{ field: 'color', limit: 10 }] },
  };
  (await epochClient(channel).declare(things, 1, {}, plans))._unsafeUnwrap();
  await push(
    'things',
    document('cheap'),
    document('dear', {
      version: 2n,
      fields: [
        { name: 'title', value: { $case: 'text', value: 'велосипед' } },
        { name: 'price', value: { $case: 'number', value: 1_000 } },
        { name: 'color', value: { $case: 'enum', value: 'blue' } },
      ],
    }),
  );
  await found(things, 'велосипед', ['b', 'cheap', 'dear']);
  const searcher = searcherClient(channel);
  const answer = await eventually(async () =>
    (await searcher.execute(things, { plan: 'shop', page: { limit: 1 } }))._unsafeUnwrap(),
  );
  expect(answer).toMatchObject({
    epoch: 1,
    total: 3,
    hits: [{ pk: 'dear' }],
    facets: [
      {
        name: 'color',
        exact: true,
        counts: [
          { value: 'red', count: 2 },
          { value: 'blue', count: 1 },
        ],
      },
    ],
  });
  expect(answer.searcher).not.toBe('');
  const unknown = await searcher.execute(things, { plan: 'nothing', page: { limit: 1 } });
  expect(unknown._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput', violations: [{ path: 'plan' }] });
});

test('[V4] a field that is new today is found without a restart', async () => {
  await push(
    'things',
    document('new', {
      fields: [
        { name: 'title', value: { $case: 'text', value: 'самокат' } },
        { name: 'wheels', value: { $case: 'number', value: 3 } },
      ],
    }),
  );
  await eventually(async () => {
    const filter = { kind: 'range', field: 'wheels', min: 3 } as const;
    const answer = await searcherClient(channel).execute(things, { plan: '', filter, page: { limit: 10 } });
    expect(answer._unsafeUnwrap().hits.map(({ pk }) => pk)).toEqual(['new']);
  });
});

test('[V1] two clients have documents and schemas of their own, and a publisher writes only to its own', async () => {
  await push('books', document('a', { fields: [{ name: 'title', value: { $case: 'string', value: 'x' } }] }));
  await eventually(async () => {
    const filter = { kind: 'terms', field: 'title', values: ['x'] } as const;
    const answer = await searcherClient(channel).execute(books, { plan: '', filter, page: { limit: 10 } });
    expect(answer._unsafeUnwrap().hits.map(({ pk }) => pk)).toEqual(['a']);
  });
  const own = await channelOf('publisher:books');
  const receiver = own.client(ReceiverServiceDefinition);
  const to = (client: string) =>
    receiver.pushBatch({ client, documents: [document('z')], bulk: false }, { deadlineMs: 5_000 });
  expect((await to('things'))._unsafeUnwrapErr()).toMatchObject({ kind: 'Rejected', reason: 'NotYours' });
  expect((await to('other'))._unsafeUnwrapErr()).toMatchObject({ kind: 'Rejected', reason: 'NotYours' });
  expect((await to('books')).isOk()).toBe(true);
  own.close();
});

test('[V1] documents of the topic are indexed, and a refused one goes to vasgen-rejected with its position', async () => {
  const log = host.container.get(Tokens.log);
  const now = Date.now();
  const raw = (pk: string, epoch: number) => ({
    pk,
    event: 'upsert' as const,
    epoch,
    version: 1,
    composedAtMs: now,
    fields: [{ name: 'title', kind: 'text' as const, multiple: false, value: 'топик' }],
    embeddings: [],
    expiresAtMs: undefined,
    payload: undefined,
  });
  const value = vasgenCodecs.batch.encode({ client: 'things', documents: [raw('t', 1), raw('t', 99)] });
  (await log.publish([{ topic: LIVE_TOPIC, key: '0', value, partition: 0 }]))._unsafeUnwrap();
  await found(things, 'топик', ['t']);
  await eventually(async () => {
    const rejected = [];
    for (const partition of [0, 1]) {
      const reader = (await log.read(REJECTED_TOPIC, partition, 'earliest'))._unsafeUnwrap();
      rejected.push(...(await reader.next({ recordsMax: 10, waitMs: 10 }))._unsafeUnwrap());
      await reader.close();
    }
    expect(
      rejected.map((record) => vasgenCodecs.rejected.decode(record.value)._unsafeUnwrap()),
    ).toMatchObject([
      {
        client: 'things',
        document: { pk: 't', epoch: 99 },
        verdict: { kind: 'unknown_epoch', living: [1] },
        position: { topic: LIVE_TOPIC, partition: 0, offset: 0 },
        index: 1,
      },
    ]);
  });
});

test('[V9] GetDocuments gives bodies and payloads from the registry', async () => {
  const payload = Buffer.from('card');
  await push('things', document('card', { payload }));
  const documents = (
    await searcherClient(channel).getDocuments(things, undefined, ['card', 'nothing'])
  )._unsafeUnwrap();
  expect(documents).toHaveLength(1);
  expect(documents[0]).toMatchObject({ pk: 'card', version: 1 });
  expect(Buffer.from(documents[0]!.payload!).toString()).toBe('card');
});

const placesOf = async (epoch: number): Promise<readonly string[]> => {
  const request = { plan: '', epoch, page: { limit: 1_000 } };
  const answer = (await searcherClient(channel).execute(things, request))._unsafeUnwrap();
  return answer.hits.map(({ pk, freshness }) => `${pk}@${freshness.version}`).toSorted();
};
const rowsOf = async (epoch: number): Promise<readonly string[]> => {
  const { registry } = host.container.get(VasgenTokens.stores);
  const { rows } = (await registry.scan(things, epoch, { limit: 1_000 }))._unsafeUnwrap();
  return rows
    .filter(({ status }) => status === 'alive')
    .map(({ pk, place }) => `${pk}@${place.version}`)
    .toSorted();
};

test('[V11] [V13] an epoch is built, promoted, rolled back and finished while documents and queries flow', async () => {
  const operator = await channelOf('operator');
  const epochs = epochClient(operator);
  const change = async (command: Parameters<typeof epochs.change>[1]) =>
    (await epochs.change(things, command))._unsafeUnwrap().map(({ epoch, state }) => `${epoch} ${state}`);
  let version = 10n;
  let isOver = false;
  const seen = new Set<number>();
  const failures: unknown[] = [];
  const living = async (): Promise<readonly number[]> =>
    (await epochClient(channel).get(things))._unsafeUnwrap().map(({ epoch }) => epoch);
  /** Each document once for every living epoch; `price` changes its type in the second one. */
  const write = async (): Promise<void> => {
    for (; !isOver; version++)
      for (const epoch of await living()) {
        const price =
          epoch === 1
            ? ({ $case: 'number', value: Number(version) } as const)
            : ({ $case: 'enum', value: `p${version}` } as const);
        const fields = [{ name: 'price', value: price }];
        await push('things', document(`live-${version % 5n}`, { epoch: BigInt(epoch), version, fields }));
      }
  };
  const query = async (): Promise<void> => {
    while (!isOver) {
      const answer = await searcherClient(channel).execute(things, { plan: '', page: { limit: 100 } });
      if (answer.isErr()) failures.push(answer.error);
      else {
        seen.add(answer.value.epoch);
        // An answer is of one epoch, never a mix of two.
        if (answer.value.hits.some(({ freshness }) => freshness.epoch !== answer.value.epoch))
          failures.push('mixed');
      }
    }
  };
  const running = Promise.all([write(), query(), query()]);
  const [, built] = await change('create');
  const next = Number(built!.split(' ')[0]);
  expect(built).toBe(`${next} building`);
  await eventually(async () => expect((await placesOf(next)).length).toBe(5));
  const { searchers } = host.container.get(VasgenTokens.stores);
  const lagging = { searcher: 'another', indexes: [] };
  (await searchers.report(things, lagging))._unsafeUnwrap();
  const behind = (await epochs.change(things, 'promote'))._unsafeUnwrapErr();
  expect(behind).toMatchObject({ kind: 'Rejected', reason: 'EpochBehind' });
  expect(JSON.stringify(behind)).toContain(`searcher another: it has no index of epoch ${next} yet`);
  (await searchers.remove(things, 'another'))._unsafeUnwrap();
  expect(await change('promote')).toEqual(['1 retained', `${next} serving`]);
  await eventually(() => expect(seen.has(next)).toBe(true));
  const before = version;
  await eventually(() => expect(version).toBeGreaterThan(before + 5n));
  expect(await change('rollback')).toEqual(['1 serving', `${next} retained`]);
  seen.clear();
  await eventually(() => expect(seen.has(1)).toBe(true));
  isOver = true;
  await running;
  expect(failures).toEqual([]);
  for (const epoch of [1, next])
    await eventually(async () => expect(await placesOf(epoch)).toEqual(await rowsOf(epoch)));
  expect(await change('finish')).toEqual(['1 serving']);
  await eventually(async () => {
    const gone = await searcherClient(channel).execute(things, { plan: '', epoch: next, page: { limit: 1 } });
    expect(gone._unsafeUnwrapErr()).toMatchObject({ kind: 'Rejected', reason: 'UnknownEpoch' });
  });
  await eventually(async () => expect(await rowsOf(next)).toEqual([]), { withinMs: 30_000 });
  const refused = (await epochs.change(things, 'promote'))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ kind: 'Rejected', reason: 'EpochRefused' });
  operator.close();
});

/** Everything in the archive of a client: `pk@version`, with a cross where there is no body. */
const archived = async (client: ClientName): Promise<readonly string[]> => {
  const archive = archiveClient(channel);
  const { segments } = (await archive.list(client, { fromMs: 0, toMs: 0 }, ''))._unsafeUnwrap();
  const found: string[] = [];
  for (const { id } of segments)
    for await (const told of archive.read(client, id)) {
      const { record } = told._unsafeUnwrap();
      found.push(`${record!.pk}@${record!.place.version}${record!.document ? '' : ' x'}`);
    }
  return found.toSorted();
};
test('[V10] [V16] what goes to the index is archived, an erased body leaves the archive, the rest can be replayed', async () => {
  const startedMs = Date.now();
  await push('things', document('kept'), document('gone'));
  await eventually(async () =>
    expect(await archived(things)).toEqual(expect.arrayContaining(['gone@1', 'kept@1'])),
  );
  const erasure = document('gone', {
    event: DocumentEvent.DOCUMENT_EVENT_ERASE,
    version: 2n,
    modifyTimestampMs: BigInt(Date.now()),
    fields: [],
  });
  expect(await push('things', erasure)).toEqual([VerdictKind.VERDICT_KIND_ACCEPTED]);
  await eventually(
    async () => {
      const all = await archived(things);
      expect(all).toContain('gone@2 x');
      expect(all).not.toContain('gone@1');
      expect(all).toContain('kept@1');
    },
    { withinMs: 15_000 },
  );
  const archive = archiveClient(channel);
  let documents = 0;
  for (let token = ''; ;) {
    const slice = await archive.replay(things, { fromMs: startedMs, toMs: 0, epoch: 0 }, token);
    documents += slice._unsafeUnwrap().documents;
    token = slice._unsafeUnwrap().next;
    if (token === '') break;
  }
  expect(documents).toBeGreaterThanOrEqual(2);
  const tooOld = await archive.replay(things, { fromMs: 1, toMs: 0, epoch: 0 }, '');
  expect(tooOld._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput', violations: [{ path: 'from' }] });
  const unknown = await archive.list(things, { fromMs: 2, toMs: 1 }, '');
  expect(unknown._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput', violations: [{ path: 'to_ms' }] });
});

test('[V8] [V14] after a restart the index equals the registry', async () => {
  const before = (await find(things, 'велосипед')).toSorted();
  channel.close();
  await host.stop();
  await start();
  await found(things, 'велосипед', before);
  const { registry } = host.container.get(VasgenTokens.stores);
  const page = (await registry.scan(things, 1, { limit: 1_000 }))._unsafeUnwrap();
  const alive = page.rows.filter(({ status }) => status === 'alive').map(({ pk }) => pk);
  const all = (
    await searcherClient(channel).execute(things, { plan: '', page: { limit: 1_000 } })
  )._unsafeUnwrap();
  expect(all.hits.map(({ pk }) => pk).toSorted()).toEqual(alive.toSorted());
});

/** Sends batches over one stream and collects what came back, and the status that ended the stream. */
const streamed = async (
  token: string,
  batches: readonly PushBatchRequest[],
): Promise<{ readonly verdicts: readonly VerdictKind[][]; readonly code: number }> => {
  const { pushStream } = ReceiverServiceDefinition.methods;
  const client = new Client(host.run.grpcAddress, ChannelCredentials.createInsecure());
  const metadata = new Metadata();
  metadata.set('authorization', `Bearer ${token}`);
  const call = client.makeBidiStreamRequest(
    `/${ReceiverServiceDefinition.fullName}/${pushStream.name}`,
    (request: PushBatchRequest) => Buffer.from(PushBatchRequest.encode(request).finish()),
    (bytes) => PushBatchResponse.decode(bytes),
    metadata,
  );
  const verdicts: VerdictKind[][] = [];
  call.on('data', (answer: PushBatchResponse) => verdicts.push(answer.verdicts.map(({ kind }) => kind)));
  call.on('error', () => {});
  const ended = new Promise<number>((resolve) => call.once('status', ({ code }) => resolve(code)));
  for (const batch of batches) call.write(batch);
  call.end();
  const code = await ended;
  client.close();
  return { verdicts, code };
};
const tokenOf = async (role: string): Promise<string> => {
  const roles = [parseRole(role)._unsafeUnwrap()];
  const issued = await host.container.get(Tokens.issueToken)({ subject: 'test', roles, ttlSec: 600 });
  return issued._unsafeUnwrap();
};

test('[V1] a stream of batches has an answer for each, in order', async () => {
  const batch = (...documents: RawDocument[]): PushBatchRequest => ({
    client: 'things',
    documents,
    bulk: false,
  });
  const { verdicts, code } = await streamed(await tokenOf('publisher:things'), [
    batch(document('s1'), document('s2', { fields: [] })),
    batch(document('s3')),
    batch(document('s1', { version: 0n }), document('s4')),
  ]);
  expect(code).toBe(0);
  expect(verdicts).toEqual([
    [VerdictKind.VERDICT_KIND_ACCEPTED, VerdictKind.VERDICT_KIND_INVALID],
    [VerdictKind.VERDICT_KIND_ACCEPTED],
    [VerdictKind.VERDICT_KIND_STALE, VerdictKind.VERDICT_KIND_ACCEPTED],
  ]);
});

test('[V1] a batch for the client of another publisher ends the stream; what was answered before stands', async () => {
  const { verdicts, code } = await streamed(await tokenOf('publisher:things'), [
    { client: 'things', documents: [document('s5')], bulk: false },
    { client: 'books', documents: [document('s6')], bulk: false },
    { client: 'things', documents: [document('s7')], bulk: false },
  ]);
  expect(code).toBe(7);
  expect(verdicts).toEqual([[VerdictKind.VERDICT_KIND_ACCEPTED]]);
  expect(await push('things', document('s5', { version: 0n }), document('s7'))).toEqual([
    VerdictKind.VERDICT_KIND_STALE,
    VerdictKind.VERDICT_KIND_ACCEPTED,
  ]);
});
