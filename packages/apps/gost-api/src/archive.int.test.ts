import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { grpcChannel } from '@doska/adapters-grpc';
import { flowCodecs } from '@doska/adapters-proto';
import { OfferStatus } from '@doska/adapters-proto/generated/doska/gost/v1/offer';
import {
  BulkAction,
  CabinetServiceDefinition,
  OfferServiceDefinition,
  Preset,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { GostTokens } from '@doska/app-wiring/gost';
import { contexts } from '@doska/app-wiring';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { MODERATION_OPINIONS, type OfferChange, type SellerId } from '@doska/core/gost';
import { alteration, publication, sampleOfferId } from '@doska/core/gost/testing';
import { parseRole } from '@doska/core/kernel';
import { eventually, realClock } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { gostApi } from './index.ts';

let database: FreshDatabase;
let host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-archive-'));
const SHARDS = 4;
beforeAll(async () => {
  database = await freshDatabase();
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_GOST_EXPORT_SHARDS: String(SHARDS),
      DOSKA_GOST_ARCHIVE_DAYS: '1',
      DOSKA_GOST_BANNED_FEED_DAYS: '1',
      DOSKA_GOST_ARCHIVE_EVERY_MS: '100',
      DOSKA_GOST_ARCHIVE_BATCH: '2',
    },
    contexts,
  )._unsafeUnwrap();
  host = (await startHost('archive-test', [catalogApi, gostApi, gostScheduler], config))._unsafeUnwrap();
  await eventually(() => host.container.get(CatalogTokens.cache).copy()._unsafeUnwrap());
});
afterAll(async () => {
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const as = async (...roles: string[]) => {
  const token = await host.container.get(Tokens.issueToken)({
    subject: 'test',
    ttlSec: 600,
    roles: roles.map((role) => parseRole(role)._unsafeUnwrap()),
  });
  const channel = grpcChannel({
    target: host.run.grpcAddress,
    clock: realClock,
    token: token._unsafeUnwrap(),
  });
  onTestFinished(() => channel.close());
  return { ...channel.client(OfferServiceDefinition), ...channel.client(CabinetServiceDefinition) };
};
const DAY_US = 86_400_000_000;
const WORDS = 'what a seller said';
const ago = (days: number) => ({ shards: SHARDS, nowUs: Date.now() * 1_000 - days * DAY_US });
/** Published three days ago by `seller`, and ended by the command two days ago. */
const ended = async (seller: SellerId, ns: readonly number[], command: Parameters<typeof alteration>[1]) => {
  const { offers } = host.container.get(GostTokens.stores);
  const contacts = { name: 'Anna Contact', phone: '+7 900 000-00-00', email: undefined };
  const commit = async (changes: readonly OfferChange[]) =>
    (await offers.commit([{ changes }]))._unsafeUnwrap()[0]!._unsafeUnwrap();
  const made = ns.map((n) =>
    publication(n, { ...ago(3), seller, content: { contacts, description: WORDS } }),
  );
  await commit(made);
  await commit(made.map(({ offer }) => alteration(offer, command, ago(2))));
};
const archived = (ns: readonly number[]) =>
  eventually(async () => {
    const { archive } = host.container.get(GostTokens.stores);
    const found = (await archive.find(ns.map(sampleOfferId)))._unsafeUnwrap();
    expect(found).toHaveLength(ns.length);
  });
const segments = (): string[] =>
  readdirSync(join(dataDir, 'blobs', 'gost-archive'), { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), 'latin1'));

test('[G17] offers that ended long ago go to the archive by themselves, and are read over the API as they were', async () => {
  const seller = 'a1' as SellerId;
  await ended(seller, [1, 2, 3], { kind: 'sell', onPlatform: true });
  await archived([1, 2, 3]);
  const ann = await as('seller:a1');
  const { offer } = (await ann.getOffer({ offerId: sampleOfferId(1) }))._unsafeUnwrap();
  expect(offer).toMatchObject({
    view: { title: 'Lada, blue', status: OfferStatus.OFFER_STATUS_SOLD, version: 2n },
    contacts: { name: undefined, phone: undefined },
  });
  // Contacts never leave the store.
  expect(segments().join('')).not.toContain('Contact');
  expect(Math.abs(Number(offer!.archivedAtUs) - Date.now() * 1_000)).toBeLessThan(120e6);
  const ids = [1, 2, 3, 50].map(sampleOfferId);
  const batch = (await ann.batchGetOffers({ offerIds: ids }))._unsafeUnwrap();
  expect(batch.offers.map(({ view }) => view?.id)).toEqual(ids.slice(0, 3));
  expect(batch.unknownIds).toEqual([ids[3]]);
  const told = (await ann.getOfferHistory({ offerId: ids[0]!, pageSize: 0, pageToken: '' }))._unsafeUnwrap();
  expect(told.events.map(({ command }) => command)).toEqual(['sell', 'publish']);
  expect(told.why.join(' ')).toMatch(/It is sold: .* It is in the archive since /);
  expect(told.archivedAtUs).toBe(offer!.archivedAtUs);
  // In no list and no total; what was earned stays earned.
  const summary = (await ann.getSummary({ sellerId: '' }))._unsafeUnwrap();
  expect(summary).toMatchObject({ sold: 3n, moneyEarned: [{ minorUnits: 300_000n }] });
  expect(summary.counts.every(({ offers }) => offers === 0n)).toBe(true);
  const list = { sellerId: '', preset: Preset.PRESET_ALL, pageSize: 0, pageToken: '' };
  expect((await ann.listOffers(list))._unsafeUnwrap().offers).toEqual([]);
  // Strangers are strangers still.
  const bob = await as('seller:b1');
  expect((await bob.getOffer({ offerId: ids[0]! }))._unsafeUnwrapErr()).toMatchObject({
    reason: 'NotOwner',
  });
});

test('[G17] commands are refused with advice, one by one and in bulk; opinions are ignored', async () => {
  const seller = 'a2' as SellerId;
  await ended(seller, [11], { kind: 'sell', onPlatform: false });
  await archived([11]);
  const ann = await as('seller:a2');
  const offerId = sampleOfferId(11);
  const refused = (await ann.activateOffer({ offerId, commandId: '' }))._unsafeUnwrapErr();
  expect(refused).toMatchObject({ code: 'FAILED_PRECONDITION', reason: 'Archived' });
  expect(refused).toHaveProperty(
    'message',
    expect.stringMatching(/^offer_id: .* archive since \d{4}-\d\d-\d\d; a new draft is the way$/),
  );
  const bulk = { offerIds: [offerId], action: BulkAction.BULK_ACTION_HIDE, commandId: '', sellerId: '' };
  expect((await ann.changeOffers(bulk))._unsafeUnwrap().verdicts).toMatchObject([
    { verdict: { $case: 'refusal', value: { reason: 'Archived' } } },
  ]);
  const opinion = { offerId, version: 1, verdict: 'banned', reasons: [], editable: false } as const;
  const value = flowCodecs.opinions.encode(opinion);
  const log = host.container.get(Tokens.log);
  (await log.publish([{ topic: MODERATION_OPINIONS, key: offerId, value }]))._unsafeUnwrap();
  await eventually(async () => {
    const metrics = await host.container.get(Tokens.telemetry).metricsText();
    expect(metrics).toMatch(/doska_gost_heard_total\{[^}]*outcome="archived"[^}]*\} 1/);
    expect(metrics).toMatch(/doska_gost_archived_total\S* [1-9]/);
  });
});

test('[G16] [G17] erasing a seller leaves none of his words in the archive, and the others theirs', async () => {
  await ended('a3' as SellerId, [21, 22, 23], { kind: 'remove' });
  await archived([21, 22, 23]);
  const operator = await as('operator');
  const before = segments().filter((bytes) => bytes.includes(WORDS)).length;
  expect(before).toBeGreaterThan(0);
  for (let cursor = ''; ;) {
    const slice = (await operator.eraseSeller({ sellerId: 'a3', cursor }))._unsafeUnwrap();
    cursor = slice.cursor;
    if (cursor === '') break;
  }
  const { offer } = (await operator.getOffer({ offerId: sampleOfferId(21) }))._unsafeUnwrap();
  expect(offer).toMatchObject({
    view: { title: '', version: 3n },
    contacts: { name: undefined },
  });
  const { archive } = host.container.get(GostTokens.stores);
  const pointers = (await archive.ofSeller('a3' as SellerId, { limit: 9 }))._unsafeUnwrap();
  expect(pointers).toHaveLength(3);
  expect(segments().filter((bytes) => bytes.includes(WORDS)).length).toBeLessThan(before);
  const read = (await operator.getOffer({ offerId: sampleOfferId(1) }))._unsafeUnwrap();
  expect(read.offer?.view?.description).toBe(WORDS);
  expect(await archive.condemned(9)).toMatchObject({ value: [] });
});
