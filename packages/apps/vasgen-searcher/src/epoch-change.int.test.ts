import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { epochClient, grpcChannel, searcherClient, type GrpcChannel } from '@doska/adapters-grpc';
import {
  DocumentEvent,
  VerdictKind,
  type Field,
  type RawDocument,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/document';
import { ReceiverServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/receiver_service';
import {
  loadConfig,
  startHost,
  systemClock,
  Tokens,
  type App,
  type RunningHost,
} from '@doska/app-composition';
import { vasgenIndexer } from '@doska/app-vasgen-indexer';
import { vasgenReceiver } from '@doska/app-vasgen-receiver';
import { contexts } from '@doska/app-wiring';
import { VasgenTokens } from '@doska/app-wiring/vasgen';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import type { ClientName, Filter, SearchAnswer } from '@doska/core/vasgen';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vasgenSearcher } from './index.ts';
import { indexDigest, registryDigest } from './testing/index-digest.ts';

const client = 'things' as ClientName;
const SECRET = 'only-for-this-test-and-long-enough';
/** Documents that change again and again: 200 changes a second in each living epoch, if the machine is fast enough. */
const PKS = 100;
const CHANGES_PER_SECOND = 200;
const BATCH_MAX = 50;
const BATCH_EVERY_MS = 50;
/** Each of the two searchers is asked by two callers, so 50 queries a second. */
const CALLERS = 2;
const QUERY_EVERY_MS = 80;

let database: FreshDatabase;
const folders: string[] = [];
const hosts: RunningHost[] = [];
const channels: GrpcChannel[] = [];
let token: string;
/** The first has everything, the second is a searcher with an index of its own. */
let first: RunningHost, second: RunningHost;
let writing: GrpcChannel;
let searching: GrpcChannel[];

const folder = (): string => {
  const made = mkdtempSync(join(tmpdir(), 'doska-epochs-'));
  folders.push(made);
  return made;
};
const start = async (name: string, apps: readonly App[], dataDir: string): Promise<RunningHost> => {
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_PARTITIONS: '2',
    DOSKA_TOKEN_KEY: SECRET,
    DOSKA_SIGNING_SECRET: SECRET,
    DOSKA_VASGEN_CLIENTS: client,
    DOSKA_VASGEN_SHARDS: '4',
    DOSKA_VASGEN_SNAPSHOT_CHANGES: '100',
    DOSKA_VASGEN_PROMOTION_WAIT_MS: '60000',
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  const host = (await startHost(name, apps, config))._unsafeUnwrap();
  hosts.push(host);
  return host;
};
const channelTo = (host: RunningHost): GrpcChannel => {
  const channel = grpcChannel({ target: host.run.grpcAddress, clock: systemClock, token });
  channels.push(channel);
  return channel;
};
const untilReady = (host: RunningHost) =>
  eventually(async () => expect((await fetch(`${host.run.httpUrl}/readyz`)).status).toBe(200), {
    withinMs: 60_000,
  });
let secondDir: string;
beforeAll(async () => {
  database = await freshDatabase({ max: 2 });
  secondDir = folder();
  first = await start('first', [vasgenReceiver, vasgenIndexer, vasgenSearcher], folder());
  second = await start('second', [vasgenSearcher], secondDir);
  const roles = ['service', 'operator'].map((role) => parseRole(role)._unsafeUnwrap());
  const issued = await first.container.get(Tokens.issueToken)({ subject: 'test', roles, ttlSec: 3_600 });
  token = issued._unsafeUnwrap();
  writing = channelTo(first);
  searching = [channelTo(first), channelTo(second)];
  await untilReady(first);
  await untilReady(second);
}, 120_000);
afterAll(async () => {
  for (const channel of channels) channel.close();
  for (const host of hosts) await host.stop();
  await database?.drop();
  for (const dir of folders) rmSync(dir, { recursive: true, force: true });
}, 60_000);

let version = 0;
const document = (pk: string, epoch: number, fields: Field[]): RawDocument => ({
  pk,
  event: DocumentEvent.DOCUMENT_EVENT_UPSERT,
  epoch: BigInt(epoch),
  version: BigInt(++version),
  modifyTimestampMs: BigInt(Date.now()),
  fields,
  embeddings: [],
  expiresAtMs: undefined,
  payload: undefined,
});
const push = async (documents: RawDocument[]): Promise<readonly VerdictKind[]> => {
  const request = { client, documents, bulk: false };
  const answer = await writing.client(ReceiverServiceDefinition).pushBatch(request, { deadlineMs: 30_000 });
  return answer._unsafeUnwrap().verdicts.map(({ kind }) => kind);
};
const ask = (channel: GrpcChannel, filter?: Filter, epoch?: number) =>
  searcherClient(channel, 30_000).execute(client, {
    plan: '',
    ...(filter && { filter }),
    ...(epoch !== undefined && { epoch }),
    page: { limit: 1_000 },
  });
const newest = ({ hits }: Pick<SearchAnswer, 'hits'>): number =>
  Math.max(0, ...hits.map(({ freshness }) => freshness.version));

type Load = {
  /** The epoch that each searcher answered from last. */
  readonly answering: () => readonly (number | undefined)[];
  /** How much it was so far. */
  readonly told: () => string;
  /** Ends the load and returns what went wrong. */
  stop(): Promise<readonly unknown[]>;
};
/** Pushes documents for each living epoch and queries both searchers, until the test calls `stop`. */
const underLoad = (fieldsOf: (epoch: number, n: number) => Field[]): Load => {
  const faults: unknown[] = [];
  const last: (number | undefined)[] = [];
  const startedMs = Date.now();
  let documents = 0;
  let queries = 0;
  let isOver = false;
  const write = async (): Promise<void> => {
    let lastMs = Date.now();
    for (let n = 0; !isOver;) {
      await pause(BATCH_EVERY_MS);
      const nowMs = Date.now();
      const due = Math.round(((nowMs - lastMs) * CHANGES_PER_SECOND) / 1_000);
      const count = Math.min(BATCH_MAX, Math.max(1, due));
      lastMs = nowMs;
      const epochs = (await epochClient(writing).get(client))._unsafeUnwrap();
      for (const { epoch } of epochs) {
        const batch = Array.from({ length: count }, (_, i) =>
          document(`live-${(n + i) % PKS}`, epoch, fieldsOf(epoch, n)),
        );
        const verdicts = await push(batch);
        documents += verdicts.length;
        if (verdicts.some((kind) => kind !== VerdictKind.VERDICT_KIND_ACCEPTED)) faults.push(verdicts);
      }
      n += count;
    }
  };
  const query = async (channel: GrpcChannel, n: number): Promise<void> => {
    const seen = new Map<number, number>();
    for (let nextMs = Date.now(); !isOver; await pause(Math.max(1, nextMs - Date.now()))) {
      nextMs = Math.max(nextMs, Date.now() - QUERY_EVERY_MS) + QUERY_EVERY_MS;
      const answer = await ask(channel);
      queries++;
      if (answer.isErr()) {
        faults.push(answer.error);
        continue;
      }
      const { epoch, hits } = answer.value;
      if (hits.some(({ freshness }) => freshness.epoch !== epoch)) faults.push(`a mix under epoch ${epoch}`);
      if (newest(answer.value) < (seen.get(epoch) ?? 0)) faults.push(`epoch ${epoch} went back`);
      seen.set(epoch, newest(answer.value));
      last[n] = epoch;
    }
  };
  const asking = Array.from({ length: CALLERS }, () => searching.map(query)).flat();
  const running = Promise.all([write(), ...asking]);
  return {
    answering: () => last,
    told: () => {
      const seconds = (Date.now() - startedMs) / 1_000;
      return `${Math.round(documents / seconds)} documents and ${Math.round(queries / seconds)} queries a second`;
    },
    stop: async () => {
      isOver = true;
      await running;
      return faults;
    },
  };
};
const change = async (command: Parameters<ReturnType<typeof epochClient>['change']>[1]) =>
  (await epochClient(writing).change(client, command))
    ._unsafeUnwrap()
    .map(({ epoch, state }) => `${epoch} ${state}`);
const withinMs = 60_000;
const bothSearchersEqualTheRegistry = async (epoch: number): Promise<void> => {
  const stores = first.container.get(VasgenTokens.stores);
  for (const channel of searching)
    await eventually(
      async () =>
        expect(await indexDigest(channel, client, epoch)).toEqual(
          await registryDigest(stores, client, epoch),
        ),
      { withinMs },
    );
};

test('[V11] under load and with two searchers, a change of epochs fails no query, mixes nothing, and rolls back to a fresh index', async ({
  annotate,
}) => {
  // The type of a field is another one in the next epoch.
  const load = underLoad((epoch, n) => [
    {
      name: 'price',
      value: epoch === 1 ? { $case: 'number', value: n } : { $case: 'enum', value: `p${n % 7}` },
    },
  ]);
  await eventually(() => expect(load.answering()).toEqual([1, 1]), { withinMs });
  const built = Number((await change('create')).at(-1)!.split(' ')[0]);
  for (const channel of searching)
    await eventually(
      async () => expect((await ask(channel, undefined, built))._unsafeUnwrap().total).toBe(PKS),
      { withinMs },
    );
  expect(await change('promote')).toEqual(['1 retained', `${built} serving`]);
  await eventually(() => expect(load.answering()).toEqual([built, built]), { withinMs });
  const promotedAt = version;
  await eventually(() => expect(version).toBeGreaterThan(promotedAt + BATCH_MAX), { withinMs });
  expect(await change('rollback')).toEqual(['1 serving', `${built} retained`]);
  await eventually(() => expect(load.answering()).toEqual([1, 1]), { withinMs });
  // What the epoch missed while it did not serve would be missing now.
  for (const channel of searching)
    expect(newest((await ask(channel))._unsafeUnwrap())).toBeGreaterThan(promotedAt);
  await annotate(load.told());
  expect(await load.stop()).toEqual([]);
  for (const epoch of [1, built]) await bothSearchersEqualTheRegistry(epoch);
  expect(await change('finish')).toEqual(['1 serving']);
}, 300_000);

test('[V4] a field that appears while queries run is found soon, by a searcher that is started again too, and no document is refused', async () => {
  let fields = 1;
  const load = underLoad((_epoch, n) =>
    Array.from({ length: fields }, (_, i) => ({ name: `new-${i}`, value: { $case: 'number', value: n } })),
  );
  const found = (channel: GrpcChannel, name: string) =>
    eventually(
      async () => {
        const answer = (await ask(channel, { kind: 'exists', field: name }))._unsafeUnwrap();
        expect(answer.total).toBeGreaterThan(0);
      },
      { withinMs },
    );
  for (; fields <= 5; fields++) for (const channel of searching) await found(channel, `new-${fields - 1}`);
  expect(await load.stop()).toEqual([]);

  await second.stop();
  const late = { name: 'late', value: { $case: 'enum', value: 'x' } } as const;
  expect(await push([document('live-0', 1, [late])])).toEqual([VerdictKind.VERDICT_KIND_ACCEPTED]);
  second = await start('second', [vasgenSearcher], secondDir);
  await untilReady(second);
  searching = [searching[0]!, channelTo(second)];
  for (const channel of searching) await found(channel, 'late');
  await bothSearchersEqualTheRegistry(1);
}, 300_000);
