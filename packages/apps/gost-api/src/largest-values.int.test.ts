import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { grpcChannel } from '@doska/adapters-grpc';
import { flowCodecs, gostCodecs, photoCodecs, textToPb } from '@doska/adapters-proto';
import { DraftServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import { ExportServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/export_service';
import {
  CabinetServiceDefinition,
  OfferServiceDefinition,
  Preset,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { StageServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/stage_service';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { GostTokens } from '@doska/app-wiring/gost';
import { gostScheduler } from '@doska/app-gost-scheduler';
import type { CategoryId } from '@doska/core/catalog';
import {
  FEED_OFFERS,
  FEED_PHOTO_ERRORS,
  FEED_RESULTS,
  FIELD_BOUNDS,
  OFFER_UPDATES,
  type FeedEntry,
  type SellerId,
} from '@doska/core/gost';
import { feedBatch, feedEntry, largestContent, noise } from '@doska/core/gost/testing';
import { parseRole, partitionOf } from '@doska/core/kernel';
import { eventually, realClock } from '@doska/core/kernel/testing';
import { PHOTO_REQUESTS, PHOTO_RESULTS } from '@doska/core/photos';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { gostApi } from './index.ts';

const PARTITIONS = 2;
const category = 'rodents' as CategoryId;
let database: FreshDatabase;
let host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-largest-'));

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
      DOSKA_PARTITIONS: String(PARTITIONS),
      DOSKA_GOST_EXPORT_SHARDS: '2',
      // The smallest value with which the platform starts.
      DOSKA_RECORD_BYTES_MAX: '589824',
    },
    contexts,
  )._unsafeUnwrap();
  host = (await startHost('largest-test', [catalogApi, gostApi, gostScheduler], config))._unsafeUnwrap();
  await eventually(() => host.container.get(CatalogTokens.cache).copy()._unsafeUnwrap());
});
afterAll(async () => {
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});

const as = async (role: string) => {
  const token = await host.container.get(Tokens.issueToken)({
    subject: 'test',
    ttlSec: 600,
    roles: [parseRole(role)._unsafeUnwrap()],
  });
  const channel = grpcChannel({
    target: host.run.grpcAddress,
    clock: realClock,
    token: token._unsafeUnwrap(),
  });
  onTestFinished(() => channel.close());
  return {
    ...channel.client(DraftServiceDefinition),
    ...channel.client(OfferServiceDefinition),
    ...channel.client(CabinetServiceDefinition),
    ...channel.client(StageServiceDefinition),
    ...channel.client(ExportServiceDefinition),
  };
};
const send = async (topic: string, key: string, value: Uint8Array): Promise<void> => {
  (await host.container.get(Tokens.log).publish([{ topic, key, value }]))._unsafeUnwrap();
};
const recordsOf = async (topic: string, key: string) => {
  const log = host.container.get(Tokens.log);
  const reader = (await log.read(topic, partitionOf({ key }, PARTITIONS), 'earliest'))._unsafeUnwrap();
  const found = (await reader.next({ recordsMax: 1_000 }))._unsafeUnwrap();
  await reader.close();
  return found.filter((record) => record.key === key);
};
const lastOf = (topic: string, key: string) =>
  eventually(async () => {
    const last = (await recordsOf(topic, key)).at(-1);
    return last ?? expect.unreachable(`no record in ${topic} yet`);
  });
const nothingIsParked = async (): Promise<void> => {
  expect((await (await as('operator')).listParkedRecords({ key: '' }))._unsafeUnwrap().records).toEqual([]);
};
const offersOf = async (seller: SellerId) =>
  (await host.container.get(GostTokens.stores).scan.ofSeller(seller, { limit: 100 }))._unsafeUnwrap();
const { text } = noise(7);

describe('the largest legal value of each kind passes all the way', () => {
  test('[X2] a draft and the view of its offer, banned for the longest reasons, with the answers that hold it', async () => {
    const seller = await as('seller:largest');
    const said = textToPb(largestContent({ attributes: [] }));
    const { draft } = (
      await seller.getCurrentDraft({ owner: undefined, categoryId: category })
    )._unsafeUnwrap();
    const at = { owner: undefined, draftId: draft!.id, categoryId: category };
    (await seller.saveDraft({ ...at, text: said }))._unsafeUnwrap();
    const again = (await seller.getCurrentDraft({ owner: undefined, categoryId: category }))._unsafeUnwrap();
    expect(again.draft?.text).toEqual(said);
    const { offer } = (await seller.publishDraft({ draftId: draft!.id, sellerId: '' }))._unsafeUnwrap();
    const { offerId } = offer!;
    const reasons = Array.from({ length: FIELD_BOUNDS.reasons }, () => text(FIELD_BOUNDS.reasonChars));
    const service = await as('service');
    (await service.banOffer({ offerId, opinionVersion: 1n, reasons, editable: true }))._unsafeUnwrap();
    await send(
      PHOTO_RESULTS,
      offerId,
      photoCodecs.result.encode({
        offerId,
        photos: said.photos.map((url) => ({
          url,
          outcome: { kind: 'failed', code: 'too-many-redirects', message: 'm', permanent: true },
        })),
      }),
    );
    await eventually(async () => {
      const bytes = (await lastOf(OFFER_UPDATES, offerId)).value;
      const view = gostCodecs.view.decode(bytes)._unsafeUnwrap();
      expect(view.version).toBe(3);
      expect(view.reasons).toEqual(reasons);
      expect(view.photos.filter(({ outcome }) => outcome?.kind === 'failed')).toHaveLength(30);
      expect(bytes.length).toBeGreaterThan(100_000);
    });
    const request = photoCodecs.request.decode((await lastOf(PHOTO_REQUESTS, offerId)).value)._unsafeUnwrap();
    expect(request.urls).toEqual(said.photos);
    expect((await seller.getOffer({ offerId }))._unsafeUnwrap().offer?.view?.photos).toHaveLength(30);
    const listed = { sellerId: '', preset: Preset.PRESET_ALL, pageSize: 200, pageToken: '' };
    expect((await seller.listOffers(listed))._unsafeUnwrap().offers).toHaveLength(1);
    const events = await seller.getOfferHistory({ offerId, pageSize: 200, pageToken: '' });
    expect(events._unsafeUnwrap().events).toHaveLength(3);
    await nothingIsParked();
  });

  test('[X2] the state of a stage; one byte more is refused', async () => {
    const seller = await as('seller:stages');
    const { draft } = (
      await seller.getCurrentDraft({ owner: undefined, categoryId: category })
    )._unsafeUnwrap();
    const at = { owner: undefined, draftId: draft!.id, categoryId: category };
    (
      await seller.saveDraft({ ...at, text: textToPb(largestContent({ attributes: [], photos: [] })) })
    )._unsafeUnwrap();
    const { offer } = (await seller.publishDraft({ draftId: draft!.id, sellerId: '' }))._unsafeUnwrap();
    const place = { offerId: offer!.offerId, stage: 's'.repeat(FIELD_BOUNDS.stageNameChars) };
    const state = Uint8Array.from(
      { length: host.container.get(GostTokens.settings).stageBytesMax },
      (_, n) => n % 251,
    );
    const service = await as('service');
    (await service.putStage({ ...place, state, expectedVersion: 0n }))._unsafeUnwrap();
    expect(Buffer.from((await service.getStage(place))._unsafeUnwrap().state).equals(state)).toBe(true);
    const more = { ...place, state: new Uint8Array(state.length + 1), expectedVersion: 1n };
    expect((await service.putStage(more))._unsafeUnwrapErr()).toMatchObject({ code: 'INVALID_ARGUMENT' });
  });

  test('[X2] the answer to a feed: the most entries, the longest ids, and errors as long as the record allows', async () => {
    const seller = 'largest-feed' as SellerId;
    const long = (n: number): FeedEntry =>
      feedEntry(n, undefined, {
        content: undefined,
        externalId: `${n}-`.padEnd(131, 'x'),
        errors: [
          { level: 'error', code: 'c', path: 'p', message: text(20), value: text(10), line: undefined },
        ],
      });
    const entries = Array.from({ length: 2_000 }, (_, n) => long(n));
    const message = feedBatch(1, 0, entries, { seller, namespace: 'n'.repeat(100) });
    await send(FEED_OFFERS, seller, flowCodecs.feedOffers.encode(message));
    const record = await lastOf(FEED_RESULTS, seller);
    const answer = flowCodecs.feedResults.decode(record.value)._unsafeUnwrap();
    expect(answer).toMatchObject({ kind: 'batch', outcome: 'applied' });
    if (answer.kind !== 'batch') return;
    expect(answer.entries.map(({ externalId }) => externalId)).toEqual(
      entries.map(({ externalId }) => externalId),
    );
    expect(new Set(answer.entries.map(({ verdict }) => verdict))).toEqual(new Set(['rejected']));
    await nothingIsParked();
  });

  test('[X2] the longest errors of one entry, and the errors of all pictures of a feed’s offer', async () => {
    const seller = 's'.repeat(FIELD_BOUNDS.sellerIdChars) as SellerId;
    const { feedErrors, feedErrorCodeChars, feedErrorPathChars, feedErrorTextChars } = FIELD_BOUNDS;
    const warning = {
      level: 'warning',
      code: 'c'.repeat(feedErrorCodeChars),
      path: 'p'.repeat(feedErrorPathChars),
      message: text(feedErrorTextChars),
      value: text(feedErrorTextChars),
      line: 1,
    } as const;
    const entry = feedEntry(1, largestContent({ category, attributes: [] }), {
      externalId: 'ы'.repeat(FIELD_BOUNDS.externalIdChars),
      errors: Array(feedErrors).fill(warning) as FeedEntry['errors'],
      geo: {
        geoId: text(FIELD_BOUNDS.geoIdChars),
        district: text(FIELD_BOUNDS.geoIdChars),
        metro: Array.from({ length: FIELD_BOUNDS.metroStations }, () => text(FIELD_BOUNDS.geoIdChars)),
      },
    });
    const batch = feedBatch(1, 0, [entry], { seller, namespace: 'main' });
    await send(FEED_OFFERS, seller, flowCodecs.feedOffers.encode(batch));
    const answer = flowCodecs.feedResults.decode((await lastOf(FEED_RESULTS, seller)).value)._unsafeUnwrap();
    expect(answer).toMatchObject({ entries: [{ verdict: 'inserted' }] });
    const [offer] = await offersOf(seller);
    const { id } = offer!;
    const view = gostCodecs.view.decode((await lastOf(OFFER_UPDATES, id)).value)._unsafeUnwrap();
    expect(view.geo).toEqual(entry.geo);
    await send(
      PHOTO_RESULTS,
      id,
      photoCodecs.result.encode({
        offerId: id,
        photos: view.photos.map(({ url }) => ({
          url,
          outcome: { kind: 'failed', code: 'too-many-redirects', message: 'm', permanent: true },
        })),
      }),
    );
    const errors = gostCodecs.photoErrors
      .decode((await lastOf(FEED_PHOTO_ERRORS, seller)).value)
      ._unsafeUnwrap();
    expect(errors.errors).toHaveLength(30);
    await nothingIsParked();
  });
});

describe('parked records', () => {
  test('[X2] services and operators list parked records and send them again; sellers do not', async () => {
    const pool = host.container.get(Tokens.pool);
    const value = Buffer.from('any bytes');
    const insert = (key: string, atUs: number) =>
      pool.query(
        'insert into gost.parked (shard, at_us, topic, key, id, value, reason) values ($1, $2, $3, $4, $5, $6, $7)',
        [atUs % 2, atUs, OFFER_UPDATES, key, '', value, 'too large for the topic'],
      );
    for (const [n, key] of ['parked-1', 'parked-2', 'parked-1'].entries()) await insert(key, n + 1);
    const operator = await as('operator');
    const parked = async (key = '') =>
      (await operator.listParkedRecords({ key }))._unsafeUnwrap().records.map((one) => [one.key, one.atUs]);
    expect((await operator.listParkedRecords({ key: 'parked-2' }))._unsafeUnwrap().records).toEqual([
      { topic: OFFER_UPDATES, key: 'parked-2', atUs: 2n, bytes: 9n, reason: 'too large for the topic' },
    ]);
    expect(await parked('parked-1')).toEqual([
      ['parked-1', 1n],
      ['parked-1', 3n],
    ]);
    expect(await parked()).toHaveLength(3);
    const service = await as('service');
    expect((await service.sendParkedRecords({ key: 'parked-1', all: false }))._unsafeUnwrap().records).toBe(
      2,
    );
    await eventually(async () => expect(await recordsOf(OFFER_UPDATES, 'parked-1')).toHaveLength(2));
    expect(await parked()).toEqual([['parked-2', 2n]]);
    expect((await operator.sendParkedRecords({ key: '', all: true }))._unsafeUnwrap().records).toBe(1);
    expect((await operator.sendParkedRecords({ key: '', all: true }))._unsafeUnwrap().records).toBe(0);
    await nothingIsParked();

    const seller = await as('seller:s1');
    expect((await seller.listParkedRecords({ key: '' }))._unsafeUnwrapErr()).toMatchObject({
      kind: 'PermissionDenied',
    });
    expect((await seller.sendParkedRecords({ key: 'k', all: false }))._unsafeUnwrapErr()).toMatchObject({
      kind: 'PermissionDenied',
    });
    for (const wrong of [
      { key: '', all: false },
      { key: 'k', all: true },
      { key: 'a\u0000b', all: false },
      { key: 'k'.repeat(129), all: false },
    ])
      expect((await operator.sendParkedRecords(wrong))._unsafeUnwrapErr()).toMatchObject({
        violations: [{ path: 'key' }],
      });
  });
});
