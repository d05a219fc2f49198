import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import {
  epochClient,
  grpcChannel,
  publishingClient,
  searchUpkeepClient,
  type GrpcChannel,
} from '@doska/adapters-grpc';
import { DocumentEvent, VerdictKind } from '@doska/adapters-proto/generated/doska/vasgen/v1/document';
import { ReceiverServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/receiver_service';
import { loadConfig, startHost, systemClock, type RunningHost } from '@doska/app-composition';
import { searchScheduler } from '@doska/app-search-scheduler';
import { vasgenSearcher } from '@doska/app-vasgen-searcher';
import { contexts } from '@doska/app-wiring';
import type { ReindexMode } from '@doska/core/search';
import type { ClientName } from '@doska/core/vasgen';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import {
  expectIndexed,
  offersUnderLoad,
  storedOffers,
  type OffersUnderLoad,
  type StoreAccess,
} from './testing/offers-under-load.ts';
import { runningPlatform, type RunningPlatform } from './testing/running-platform.ts';

const isLong = process.env['DOSKA_TEST_LONG'] !== undefined;
const PLAN = isLong ? { offers: 200, perSecond: 200 } : { offers: 12, perSecond: 12 };
const LOAD_MS = isLong ? 60_000 : 2_000;
/** Offers that do not change by themselves. */
const STILL = 50;
const GHOSTS = 50;
/** The audit passes over younger changes: they may still be on their way. */
const AUDIT_FROM_MS = 11_000;
const OFFERS = 'offers' as ClientName;
const SECRET = 'only-for-this-test-and-long-enough';

let database: FreshDatabase;
let platform: RunningPlatform;
let operator: string;
let channel: GrpcChannel;
/** A second searcher with an index of its own, and a second scheduler that is not told of epochs. */
const dataDir = mkdtempSync(join(tmpdir(), 'doska-wiped-'));
let second: RunningHost;
type Still = { readonly pk: string; readonly version: number };
/** Offers that change by command only: two lots of active ones, and hidden ones. */
let missing: readonly Still[];
let still: readonly Still[];
let gone: readonly Still[];
let settledAtMs: number;
const channels: GrpcChannel[] = [];
const channelTo = (host: RunningHost): GrpcChannel => {
  const one = grpcChannel({ target: host.run.grpcAddress, clock: systemClock, token: operator });
  channels.push(one);
  return one;
};
const startSecond = async (): Promise<RunningHost> => {
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_PARTITIONS: '4',
    DOSKA_TOKEN_KEY: SECRET,
    DOSKA_SIGNING_SECRET: SECRET,
    DOSKA_SEARCH_AUDIT_DAYS: '0',
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  return (await startHost('second', [vasgenSearcher, searchScheduler], config))._unsafeUnwrap();
};

beforeAll(async () => {
  database = await freshDatabase({ max: 2 });
  platform = await runningPlatform('rebuild', database, {
    DOSKA_PARTITIONS: '4',
    DOSKA_TOKEN_KEY: SECRET,
    DOSKA_SIGNING_SECRET: SECRET,
    DOSKA_VASGEN_PROMOTION_WAIT_MS: '20000',
    // What differs in the end must not be repaired before it is found.
    DOSKA_SEARCH_AUDIT_DAYS: '0',
  });
  operator = platform.host.run.token ?? '';
  channel = channelTo(platform.host);
  second = await startSecond();
  const all = await stillOffers(2 * STILL + GHOSTS / 2);
  missing = all.slice(0, STILL);
  still = all.slice(STILL, 2 * STILL);
  gone = all.slice(2 * STILL);
  for (const { pk } of gone) await hide(pk);
  settledAtMs = Date.now() + AUDIT_FROM_MS;
}, 120_000);
afterAll(async () => {
  for (const one of channels) one.close();
  await second?.stop();
  await platform?.stop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

const store: StoreAccess = { url: () => platform.url, token: () => operator };
const underLoad = async (): Promise<OffersUnderLoad> => {
  const load = offersUnderLoad(store, PLAN);
  onTestFinished(() => load.end());
  await load.published();
  return load;
};
type Walked = { readonly sent: number; readonly findings: readonly string[] };
const walk = async (mode: ReindexMode, epoch = 0, onSlice = async (_next: string) => {}): Promise<Walked> => {
  const findings: string[] = [];
  let sent = 0;
  for (let cursor = ''; ;) {
    const asked = { mode, epoch, category: '', cursor };
    const slice = (await searchUpkeepClient(channel).reindex(asked))._unsafeUnwrap();
    findings.push(...slice.findings.map(({ kind, offerId }) => `${kind} ${offerId}`));
    sent += slice.sent;
    cursor = slice.nextCursor;
    if (cursor === '') return { sent, findings };
    await onSlice(cursor);
    await pause(slice.waitMs);
  }
};
const stillOffers = async (count: number): Promise<readonly Still[]> => {
  const publishing = publishingClient(channel);
  for (let n = 0; n < count; n++)
    (
      await publishing.publish(`still-${n}`, {
        categoryId: 'rodents',
        title: 'Still degu',
        description: 'Used with care, everything works.',
        price: { minorUnits: 100, currency: 'RUB' },
        address: 'Казань',
        phone: '+7 900 000-00-00',
        photos: [],
        attributes: [],
      })
    )._unsafeUnwrap();
  return [...(await storedOffers(store))].map(([pk, { updatedAtUs }]) => ({ pk, version: updatedAtUs }));
};
const hide = async (pk: string): Promise<void> => {
  const answer = await fetch(`${platform.url}/v1/offers/${pk}:hide`, {
    method: 'POST',
    headers: { authorization: `Bearer ${operator}`, 'content-type': 'application/json' },
    body: '{}',
  });
  expect(answer.status, await answer.text()).toBe(200);
};
/** Ends the load, and expects the offers of the store in both indexes. */
const expectEqual = async (load: OffersUnderLoad): Promise<void> => {
  await load.end();
  const stored = await load.stored();
  for (const host of [platform.host, second]) {
    const one = channelTo(host);
    await expectIndexed(() => one, stored);
  }
};

test('[S10] [V8] an index that is wiped while offers change is rebuilt and holds what the offer store holds', async () => {
  const load = await underLoad();
  await load.goesOn();
  await second.stop();
  rmSync(dataDir, { recursive: true, force: true });
  second = await startSecond();
  await Promise.all([load.goesOn(), pause(LOAD_MS)]);
  await expectEqual(load);
}, 300_000);

type Sent = { readonly pk: string; readonly version: number; readonly isGhost: boolean };
/** Documents that no scheduler made. */
const plant = async (documents: readonly Sent[]): Promise<void> => {
  const receiver = channel.client(ReceiverServiceDefinition);
  const [epoch] = (await epochClient(channel).get(OFFERS))._unsafeUnwrap();
  const answer = await receiver.pushBatch({
    client: OFFERS,
    bulk: false,
    documents: documents.map(({ pk, version, isGhost }) => ({
      pk,
      event: isGhost ? DocumentEvent.DOCUMENT_EVENT_UPSERT : DocumentEvent.DOCUMENT_EVENT_DELETE,
      epoch: BigInt(epoch!.epoch),
      version: BigInt(version),
      modifyTimestampMs: BigInt(Date.now()),
      fields: isGhost ? [{ name: 'title', value: { $case: 'text' as const, value: 'Degu' } }] : [],
      embeddings: [],
      expiresAtMs: undefined,
      payload: undefined,
    })),
  });
  const verdicts = answer._unsafeUnwrap().verdicts.map(({ kind }) => kind);
  expect(new Set(verdicts)).toEqual(new Set([VerdictKind.VERDICT_KIND_ACCEPTED]));
};

test('[S10] a re-index of the serving epoch while offers change deletes 50 planted ghosts and brings 50 missing offers back', async () => {
  const load = await underLoad();
  await pause(settledAtMs - Date.now());
  const nowhere = Array.from({ length: GHOSTS - gone.length }, (_, n) => ({
    pk: `no-such-offer-${n}`,
    version: 7,
  }));
  await plant([
    ...missing.map((one) => ({ ...one, isGhost: false })),
    // Fresher than the version in which its offer was hidden.
    ...gone.map(({ pk }) => ({ pk, version: Date.now() * 1_000, isGhost: true })),
    ...nowhere.map((one) => ({ ...one, isGhost: true })),
  ]);
  const planted = [
    ...missing.map(({ pk }) => `missing ${pk}`),
    ...[...gone, ...nowhere].map(({ pk }) => `ghost ${pk}`),
  ];
  expect((await walk('audit')).findings.toSorted()).toEqual(planted.toSorted());
  await walk('reindex');
  await load.goesOn();
  await expectEqual(load);
}, 300_000);

test('[S10] [V11] an epoch that is built while offers change, and of which one scheduler hears late, holds what the offer store holds', async () => {
  const load = await underLoad();
  const change = async (command: 'create' | 'promote' | 'finish') =>
    (await epochClient(channel).change(OFFERS, command))._unsafeUnwrap();
  const epochs = await change('create');
  const building = epochs.find(({ state }) => state === 'building')!.epoch;
  // Each of these changes once, when its offer has passed; until the scheduler hears of the epoch they go to the serving one alone.
  let edits: Promise<void> | undefined;
  const editAll = async (): Promise<void> => {
    for (const { pk } of still) {
      await hide(pk);
      await pause(40);
    }
  };
  const { findings } = await walk('reindex', building, async (next) => {
    if (next.startsWith('compare/')) edits ??= editAll();
  });
  await edits;
  expect(findings.filter((one) => one.startsWith('failed'))).toEqual([]);
  await change('promote');
  await change('finish');
  await load.goesOn();
  await expectEqual(load);
  await pause(AUDIT_FROM_MS);
  expect((await walk('audit')).findings).toEqual([]);
}, 300_000);
