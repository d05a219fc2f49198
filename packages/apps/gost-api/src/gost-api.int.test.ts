import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { grpcChannel, type RpcError } from '@doska/adapters-grpc';
import { gostCodecs } from '@doska/adapters-proto';
import { DraftServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import { OfferStatus, type OfferText } from '@doska/adapters-proto/generated/doska/gost/v1/offer';
import {
  BulkAction,
  CabinetServiceDefinition,
  OfferServiceDefinition,
  Preset,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { StageServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/stage_service';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { GostTokens } from '@doska/app-wiring/gost';
import { contexts } from '@doska/app-wiring';
import { gostScheduler } from '@doska/app-gost-scheduler';
import { formatOfferId, OFFER_UPDATES, parseOfferId, type OfferView, type SellerId } from '@doska/core/gost';
import { publication } from '@doska/core/gost/testing';
import { parseRole } from '@doska/core/kernel';
import { eventually, realClock } from '@doska/core/kernel/testing';
import type { ResultAsync } from 'neverthrow';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { gostApi } from './index.ts';

let database: FreshDatabase;
let host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-gost-api-'));

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
      DOSKA_GOST_EXPIRE_EVERY_MS: '100',
      DOSKA_GOST_EXPORT_SHARDS: '4',
    },
    contexts,
  )._unsafeUnwrap();
  host = (await startHost('gost-api-test', [catalogApi, gostApi, gostScheduler], config))._unsafeUnwrap();
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
  return withToken(token._unsafeUnwrap());
};
const withToken = (token?: string) => {
  const channel = grpcChannel({
    target: host.run.grpcAddress,
    clock: realClock,
    ...(token ? { token } : {}),
  });
  onTestFinished(() => channel.close());
  return {
    ...channel.client(DraftServiceDefinition),
    ...channel.client(OfferServiceDefinition),
    ...channel.client(CabinetServiceDefinition),
    ...channel.client(StageServiceDefinition),
  };
};
type Client = Awaited<ReturnType<typeof as>>;

const text = (change: Partial<OfferText> = {}): OfferText => ({
  attributes: [],
  title: 'Хомяк с клеткой',
  description: 'Ручной.',
  photos: [],
  price: { minorUnits: 50_000n, currency: 'RUB' },
  place: { address: 'Казань, метро Площадь Тукая', point: undefined },
  contacts: { name: 'Анна', phone: '+7 900 000-00-00', email: undefined },
  ...change,
});
const publish = async (client: Client, said = text(), categoryId = 'rodents') => {
  const { draft } = (await client.getCurrentDraft({ owner: undefined, categoryId }))._unsafeUnwrap();
  const saved = client.saveDraft({ owner: undefined, draftId: draft!.id, categoryId, text: said });
  return saved
    .andThen(() => client.publishDraft({ draftId: draft!.id, sellerId: '' }))
    .map(({ offer }) => offer!);
};
const refusal = async <T>(answer: ResultAsync<T, RpcError>) => (await answer)._unsafeUnwrapErr();
/** Everything in the topic, by offer, in order. */
const told = async (): Promise<Map<string, OfferView[]>> => {
  const log = host.container.get(Tokens.log);
  const seen = new Map<string, OfferView[]>();
  const partitions = host.container.get(Tokens.config).partitions;
  for (let partition = 0; partition < partitions; partition++) {
    const reader = (await log.read(OFFER_UPDATES, partition, 'earliest'))._unsafeUnwrap();
    for (;;) {
      const records = (await reader.next({ recordsMax: 500 }))._unsafeUnwrap();
      if (records.length === 0) break;
      for (const { key, value } of records) {
        const view = gostCodecs.view.decode(value)._unsafeUnwrap();
        seen.set(key, [...(seen.get(key) ?? []), view]);
      }
    }
    await reader.close();
  }
  return seen;
};
let sellers = 0;
const newSeller = () => `seller:s${++sellers}`;

describe('gost-api', () => {
  test('[G1] [G2] [G5] [G6] a draft is published, seen in the cabinet, changed, and every change reaches the topic', async () => {
    const ann = await as(newSeller());
    const made = (await publish(ann))._unsafeUnwrap();
    expect(made).toMatchObject({ version: 1n, status: OfferStatus.OFFER_STATUS_ACTIVE });
    const { offer } = (await ann.getOffer({ offerId: made.offerId }))._unsafeUnwrap();
    expect(offer?.view).toMatchObject({
      title: 'Хомяк с клеткой',
      categoryId: 'rodents',
      catalogVersion: 1n,
      geo: { geoId: 'kazan', district: undefined, metro: ['Площадь Тукая'] },
    });
    expect(offer?.contacts?.phone).toBe('+7 900 000-00-00');
    const page = (
      await ann.listOffers({ sellerId: '', preset: Preset.PRESET_ACTIVE, pageSize: 0, pageToken: '' })
    )._unsafeUnwrap();
    expect(page.offers.map(({ view }) => view?.id)).toEqual([made.offerId]);

    const edited = await ann.editOffer({
      offerId: made.offerId,
      categoryId: 'rodents',
      text: text({ title: 'Хомяк' }),
      expectedVersion: 1n,
      commandId: 'e1',
    });
    expect(edited._unsafeUnwrap().offer).toMatchObject({ version: 2n, changed: true });
    expect(
      (await ann.sellOffer({ offerId: made.offerId, onPlatform: true, commandId: '' }))._unsafeUnwrap().offer,
    ).toMatchObject({ version: 3n, status: OfferStatus.OFFER_STATUS_SOLD });
    const summary = (await ann.getSummary({ sellerId: '' }))._unsafeUnwrap();
    expect(summary).toMatchObject({
      active: 0n,
      sold: 1n,
      moneyEarned: [{ minorUnits: 50_000n, currency: 'RUB' }],
    });
    expect(summary.counts).toContainEqual({ preset: Preset.PRESET_SOLD, offers: 1n });

    await eventually(async () => {
      const views = (await told()).get(made.offerId) ?? [];
      expect(views.map(({ version, status, title }) => [version, status, title])).toEqual([
        [1, 'active', 'Хомяк с клеткой'],
        [2, 'active', 'Хомяк'],
        [3, 'sold', 'Хомяк'],
      ]);
    });
  });

  test('[G2] [G3] a publish that is repeated answers with the same offer, whose id survives a telephone call', async () => {
    const ann = await as(newSeller());
    const { draft } = (await ann.getCurrentDraft({ owner: undefined }))._unsafeUnwrap();
    await ann.saveDraft({ owner: undefined, draftId: draft!.id, categoryId: 'rodents', text: text() });
    const both = await Promise.all([1, 2].map(() => ann.publishDraft({ draftId: draft!.id, sellerId: '' })));
    const [one, two] = both.map((answer) => answer._unsafeUnwrap().offer!.offerId);
    expect(two).toBe(one);
    const spoken = one!
      .toLowerCase()
      .replace(/(.{4})/g, '$1-')
      .replaceAll('0', 'o')
      .replaceAll('1', 'l');
    expect((await ann.getOffer({ offerId: spoken }))._unsafeUnwrap().offer?.view?.id).toBe(one);
    expect(parseOfferId(spoken)._unsafeUnwrap()).toBe(one);
  });

  test('[G2] an anonymous visitor has a draft and keeps it after logging in; no other caller can name the visitor', async () => {
    const visitor = (await withToken().createAnonymousSession({}))._unsafeUnwrap();
    const nobody = withToken(visitor.token);
    const { draft } = (
      await nobody.getCurrentDraft({ owner: undefined, categoryId: 'rodents' })
    )._unsafeUnwrap();
    expect(draft).toMatchObject({ anonymous: true, categoryId: 'rodents' });
    await nobody.saveDraft({ owner: undefined, draftId: draft!.id, categoryId: 'rodents', text: text() });
    expect(await refusal(nobody.publishDraft({ draftId: draft!.id, sellerId: 's' }))).toMatchObject({
      kind: 'PermissionDenied',
    });
    const ann = await as(newSeller());
    const named = { userId: '', anonymousToken: '', anonymousId: visitor.anonymousId };
    expect(await refusal(ann.getCurrentDraft({ owner: named }))).toMatchObject({
      kind: 'Rejected',
      code: 'PERMISSION_DENIED',
      reason: 'NotYours',
      message: expect.stringContaining('owner.anonymous_id'),
    });
    const forged = { ...named, anonymousId: '', anonymousToken: `${visitor.token.slice(0, -3)}abc` };
    expect((await refusal(ann.getCurrentDraft({ owner: forged }))).kind).toBe('Unauthenticated');
    const shown = { ...named, anonymousId: '', anonymousToken: visitor.token };
    const taken = (await ann.getCurrentDraft({ owner: shown }))._unsafeUnwrap().draft;
    expect(taken).toMatchObject({ id: draft!.id, anonymous: false, text: { title: 'Хомяк с клеткой' } });
    expect((await ann.publishDraft({ draftId: taken!.id, sellerId: '' })).isOk()).toBe(true);
  });

  test.each<{ name: string; said: Partial<OfferText>; category?: string; path: string; code: string }>([
    { name: 'an unknown category', said: {}, category: 'dragons', path: 'category', code: 'UnknownValue' },
    { name: 'an over-long title', said: { title: 'я'.repeat(121) }, path: 'title', code: 'TooLong' },
    {
      name: 'a negative price',
      said: { price: { minorUnits: -1n, currency: 'RUB' } },
      path: 'price.minor_units',
      code: 'OutOfRange',
    },
    { name: 'no way to be reached', said: { contacts: undefined }, path: 'contacts', code: 'Missing' },
    {
      name: 'a missing required attribute',
      said: {},
      category: 'flats-sale',
      path: 'attributes.rooms',
      code: 'Missing',
    },
  ])('[G4] $name is named, and nothing is written', async ({ said, category = 'rodents', path, code }) => {
    const role = newSeller();
    const ann = await as(role);
    const refused = (await publish(ann, text(said), category))._unsafeUnwrapErr();
    expect(refused).toMatchObject({ kind: 'InvalidInput' });
    const { violations } = refused as Extract<RpcError, { kind: 'InvalidInput' }>;
    expect(
      violations.some((one) => one.path.startsWith(path) && one.code === code),
      JSON.stringify(violations),
    ).toBe(true);
    expect(
      (await ann.getSummary({ sellerId: '' }))._unsafeUnwrap().counts.every(({ offers }) => offers === 0n),
    ).toBe(true);
  });

  test('[G4] an offer of 101 KB is refused when it is saved, as a draft and as an edit', async () => {
    const ann = await as(newSeller());
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    const huge = text({ description: 'я'.repeat(51_700) });
    const { draft } = (await ann.getCurrentDraft({ owner: undefined }))._unsafeUnwrap();
    const saved = ann.saveDraft({ owner: undefined, draftId: draft!.id, categoryId: 'rodents', text: huge });
    expect(await refusal(saved)).toMatchObject({
      kind: 'InvalidInput',
      violations: [{ path: 'description' }, { path: 'draft', code: 'TooLarge' }],
    });
    const edited = ann.editOffer({ offerId, categoryId: 'rodents', text: huge, commandId: '' });
    expect(await refusal(edited)).toMatchObject({
      kind: 'InvalidInput',
      violations: expect.arrayContaining([expect.objectContaining({ path: 'offer', code: 'TooLarge' })]),
    });
    expect((await ann.getOffer({ offerId }))._unsafeUnwrap().offer?.view?.version).toBe(1n);
  });

  test('[G1] a foreign offer, a stale version and a mistyped id are refused by name, and nothing is written', async () => {
    const ann = await as(newSeller());
    const bob = await as(newSeller());
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    const edit = { offerId, categoryId: 'rodents', text: text({ title: 'Чужой' }), commandId: '' };
    for (const attempt of [bob.editOffer(edit), bob.hideOffer(edit), bob.getOffer({ offerId })])
      expect(await refusal(attempt as ResultAsync<unknown, RpcError>)).toMatchObject({
        code: 'PERMISSION_DENIED',
        reason: 'NotOwner',
        message: expect.stringContaining('offer_id'),
      });
    expect(await refusal(ann.editOffer({ ...edit, expectedVersion: 7n }))).toMatchObject({
      code: 'ABORTED',
      reason: 'StaleVersion',
      message: expect.stringContaining('expected_version'),
    });
    const mistyped = `${offerId.slice(0, -1)}${offerId.endsWith('0') ? '1' : '0'}`;
    expect(await refusal(ann.hideOffer({ offerId: mistyped, commandId: '' }))).toMatchObject({
      kind: 'InvalidInput',
      violations: [{ path: 'offer_id', code: 'Malformed' }],
    });
    expect(
      await refusal(ann.listOffers({ sellerId: 's1', preset: 0, pageSize: 0, pageToken: '' })),
    ).toMatchObject({
      reason: 'NotYours',
      message: expect.stringContaining('seller_id'),
    });
    expect((await bob.batchGetOffers({ offerIds: [offerId] }))._unsafeUnwrap()).toEqual({
      offers: [],
      unknownIds: [offerId],
      leftOutIds: [],
    });
    const { offer } = (await ann.getOffer({ offerId }))._unsafeUnwrap();
    expect(offer?.view).toMatchObject({ version: 1n, title: 'Хомяк с клеткой' });
  });

  test('[G1] a command repeated under its id answers the same and changes nothing more', async () => {
    const ann = await as(newSeller());
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    const first = (await ann.hideOffer({ offerId, commandId: 'h' }))._unsafeUnwrap();
    await ann.activateOffer({ offerId, commandId: 'a' });
    expect((await ann.hideOffer({ offerId, commandId: 'h' }))._unsafeUnwrap()).toEqual(first);
    expect((await ann.getOffer({ offerId }))._unsafeUnwrap().offer?.view?.status).toBe(
      OfferStatus.OFFER_STATUS_ACTIVE,
    );
    expect(await refusal(ann.hideOffer({ offerId, commandId: 'x'.repeat(101) }))).toMatchObject({
      violations: [{ path: 'command_id', code: 'TooLong' }],
    });
  });

  test('[X8] an id that was used for another command is refused, and nothing is written', async () => {
    const ann = await as(newSeller());
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    (await ann.hideOffer({ offerId, commandId: 'h' }))._unsafeUnwrap();
    expect(await refusal(ann.activateOffer({ offerId, commandId: 'h' }))).toMatchObject({
      code: 'ALREADY_EXISTS',
      reason: 'CommandIdReused',
      message: expect.stringContaining('command_id'),
    });
    expect((await ann.getOffer({ offerId }))._unsafeUnwrap().offer?.view?.version).toBe(2n);
  });

  test('[X4] an opinion version that is 0 or above 2^53 − 1 is refused', async () => {
    const ann = await as(newSeller());
    const service = await as('service');
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    const opinion = { offerId, reasons: ['spam'], editable: true };
    for (const opinionVersion of [0n, 2n ** 53n, 2n ** 64n - 1n])
      expect(await refusal(service.banOffer({ ...opinion, opinionVersion }))).toMatchObject({
        violations: [{ path: 'opinion_version', code: 'OutOfRange' }],
      });
    const last = 2n ** 53n - 1n;
    (await service.banOffer({ ...opinion, opinionVersion: last - 1n }))._unsafeUnwrap();
    const { offer } = (await service.unbanOffer({ offerId, opinionVersion: last }))._unsafeUnwrap();
    expect(offer).toMatchObject({ status: OfferStatus.OFFER_STATUS_ACTIVE, changed: true });
  });

  test('[X9] a hundred large offers come in several answers that a default client takes', async () => {
    const seller = `s${++sellers}` as SellerId;
    const { offers } = host.container.get(GostTokens.stores);
    const ids: string[] = [];
    for (let n = 0; n < 100; n++) {
      const change = publication(5_000 + n, { seller, nowUs: Date.now() * 1_000 + n, shards: 4 });
      const content = { ...change.offer.content, description: 'я'.repeat(40_000) };
      await offers.commit([{ changes: [{ ...change, offer: { ...change.offer, content } }] }]);
      ids.push(change.offer.id);
    }
    const ann = await as(`seller:${seller}`);
    const listed: string[] = [];
    for (let pageToken = ''; ;) {
      const query = { sellerId: '', preset: Preset.PRESET_ALL, pageSize: 200, pageToken };
      const page = (await ann.listOffers(query))._unsafeUnwrap();
      listed.push(...page.offers.map(({ view }) => view!.id));
      pageToken = page.nextPageToken;
      if (pageToken === '') break;
    }
    expect(listed).toEqual([...ids].reverse());
    const batch = (await ann.batchGetOffers({ offerIds: ids }))._unsafeUnwrap();
    expect(batch.leftOutIds.length).toBeGreaterThan(10);
    expect([...batch.offers.map(({ view }) => view!.id), ...batch.leftOutIds]).toEqual(ids);
    expect(batch.unknownIds).toEqual([]);
  });

  test('[G16] many at once: a verdict for each, in the order asked', async () => {
    const ann = await as(newSeller());
    const bob = await as(newSeller());
    const own = [(await publish(ann))._unsafeUnwrap().offerId, (await publish(ann))._unsafeUnwrap().offerId];
    const foreign = (await publish(bob))._unsafeUnwrap().offerId;
    const answer = await ann.changeOffers({
      offerIds: [own[0]!, foreign, own[1]!],
      action: BulkAction.BULK_ACTION_HIDE,
      commandId: 'b',
      sellerId: '',
    });
    const { verdicts } = answer._unsafeUnwrap();
    expect(verdicts.map(({ offerId }) => offerId)).toEqual([own[0], foreign, own[1]]);
    expect(verdicts.map(({ verdict }) => verdict?.$case)).toEqual(['offer', 'refusal', 'offer']);
    expect(verdicts[1]?.verdict).toMatchObject({ value: { reason: 'NotOwner' } });
    expect(
      await refusal(
        ann.changeOffers({ offerIds: own, action: 99 as BulkAction, commandId: '', sellerId: '' }),
      ),
    ).toMatchObject({
      violations: [{ path: 'action' }],
    });
  });

  test('[G7] a ban by command hides from editing as it says, and an older opinion changes nothing', async () => {
    const ann = await as(newSeller());
    const operator = await as('operator');
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    await operator.banOffer({ offerId, opinionVersion: 5n, reasons: ['spam'], editable: false });
    const edit = { offerId, categoryId: 'rodents', text: text({ title: 'Лучше' }), commandId: '' };
    expect(await refusal(ann.editOffer(edit))).toMatchObject({
      code: 'FAILED_PRECONDITION',
      reason: 'Banned',
    });
    expect((await operator.unbanOffer({ offerId, opinionVersion: 4n }))._unsafeUnwrap().offer?.changed).toBe(
      false,
    );
    expect((await operator.unbanOffer({ offerId, opinionVersion: 6n }))._unsafeUnwrap().offer).toMatchObject({
      changed: true,
      status: OfferStatus.OFFER_STATUS_ACTIVE,
    });
    expect(
      (await refusal(ann.banOffer({ offerId, opinionVersion: 9n, reasons: [], editable: true }))).kind,
    ).toBe('PermissionDenied');
  });

  test('[G14] why an offer is as it is: the owner and an operator are told, in pages; another seller is not', async () => {
    const ann = await as(newSeller());
    const bob = await as(newSeller());
    const operator = await as('operator');
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    const edit = { offerId, categoryId: 'rodents', text: text({ title: 'Хомяк и колесо' }), commandId: '' };
    await ann.editOffer(edit);
    await operator.banOffer({ offerId, opinionVersion: 5n, reasons: ['spam'], editable: true });
    await ann.removeOffer({ offerId, commandId: '' });
    const ask = (client: Client, pageSize = 0, pageToken = '') =>
      client.getOfferHistory({ offerId, pageSize, pageToken });
    const first = (await ask(ann, 3))._unsafeUnwrap();
    expect(first).toMatchObject({ version: 4n, status: OfferStatus.OFFER_STATUS_REMOVED });
    expect(first.why).toEqual([expect.stringMatching(/^It is removed: the seller removed it on /)]);
    expect(first.events.map(({ version, command, by }) => [version, command, by])).toEqual([
      [4n, 'remove', 'seller'],
      [3n, 'ban', 'moderation'],
      [2n, 'edit', 'seller'],
    ]);
    expect(first.events[1]).toMatchObject({ opinionVersion: 5n, banReasons: ['spam'] });
    expect(first.events[2]).toMatchObject({
      changedFields: ['title'],
      sentence: expect.stringMatching(/^The seller edited it \(title\) on /),
    });
    const rest = (await ask(operator, 3, first.nextPageToken))._unsafeUnwrap();
    expect(rest).toMatchObject({ why: [], events: [{ version: 1n, command: 'publish' }], nextPageToken: '' });
    expect(await refusal(ask(bob))).toMatchObject({ code: 'PERMISSION_DENIED', reason: 'NotOwner' });
    expect(await refusal(ask(ann, 1, 'forged'))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      message: expect.stringContaining('page_token'),
    });
    const nobody = formatOfferId(publication(4_242).offer.id);
    expect(await refusal(ann.getOfferHistory({ offerId: nobody, pageSize: 0, pageToken: '' }))).toMatchObject(
      {
        code: 'NOT_FOUND',
      },
    );
  });

  test('[G10] a stage keeps bytes of its own about an offer; who lost a race is told, and only services may', async () => {
    const ann = await as(newSeller());
    const service = await as('service');
    const { offerId } = (await publish(ann))._unsafeUnwrap();
    const at = { offerId, stage: 'price-check' };
    const put = (client: Client, expectedVersion: bigint, state = Uint8Array.of(0, 1, 255)) =>
      client.putStage({ ...at, state, expectedVersion });
    expect((await service.getStage(at))._unsafeUnwrap().version).toBe(0n);
    expect((await put(service, 0n))._unsafeUnwrap()).toEqual({ version: 1n });
    const kept = (await service.getStage(at))._unsafeUnwrap();
    expect([kept.version, [...kept.state]]).toEqual([1n, [0, 1, 255]]);
    expect(await refusal(put(service, 0n))).toMatchObject({
      code: 'ABORTED',
      reason: 'VersionConflict',
      message: expect.stringContaining('expected_version'),
    });
    expect(await refusal(put(service, 1n, new Uint8Array(64 * 1024 + 1)))).toMatchObject({
      code: 'INVALID_ARGUMENT',
      reason: 'ValueTooLarge',
      message: expect.stringContaining('state'),
    });
    expect(await refusal(service.getStage({ ...at, stage: 'No Such' }))).toMatchObject({
      violations: [{ path: 'stage', code: 'Malformed' }],
    });
    const nobody = { ...at, offerId: publication(4_242).offer.id };
    expect(await refusal(service.getStage(nobody))).toMatchObject({ code: 'NOT_FOUND' });
    for (const attempt of [put(ann, 1n), put(await as('operator'), 1n)])
      expect((await refusal(attempt)).kind).toBe('PermissionDenied');
    expect((await ann.getOffer({ offerId }))._unsafeUnwrap().offer?.view?.version).toBe(1n);
  });

  test('[G16] an operator erases a seller: nothing he said stays in the store, and the topic hears of it', async () => {
    const role = newSeller();
    const sellerId = role.slice('seller:'.length);
    const ann = await as(role);
    const operator = await as('operator');
    const service = await as('service');
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push((await publish(ann))._unsafeUnwrap().offerId);
    await ann.removeOffer({ offerId: ids[0]!, commandId: 'annas-command' });
    await ann.getCurrentDraft({ owner: undefined });
    await service.putStage({ offerId: ids[1]!, stage: 's', state: Uint8Array.of(7), expectedVersion: 0n });
    expect((await refusal(ann.eraseSeller({ sellerId, cursor: '' }))).kind).toBe('PermissionDenied');
    expect((await operator.eraseSeller({ sellerId, cursor: '' }))._unsafeUnwrap()).toEqual({
      offers: 3n,
      erased: 3n,
      historyEntries: 4n,
      cursor: '',
    });
    expect((await operator.eraseSeller({ sellerId, cursor: '' }))._unsafeUnwrap()).toMatchObject({
      offers: 3n,
      erased: 0n,
      historyEntries: 0n,
    });
    for (const offerId of ids) {
      const { offer } = (await operator.getOffer({ offerId }))._unsafeUnwrap();
      expect(offer).toMatchObject({
        view: {
          status: OfferStatus.OFFER_STATUS_REMOVED,
          title: '',
          description: '',
          place: { address: undefined },
        },
        contacts: { name: undefined, phone: undefined },
      });
      expect(offer?.view?.geo).toBeUndefined();
    }
    const stage = (await service.getStage({ offerId: ids[1]!, stage: 's' }))._unsafeUnwrap();
    expect(stage.version).toBe(0n);
    expect(
      (await operator.getSummary({ sellerId }))._unsafeUnwrap().counts.every(({ offers }) => offers === 0n),
    ).toBe(true);
    const rows = await database.pool.query<{ found: string }>(
      `select count(*) as found from (
         select body from gost.offer where id = any($1)
         union all select body from gost.offer_history where offer_id = any($1)
         union all select d.body from gost.draft d join gost.current_draft c on c.draft_id = d.id where c.owner_id = $2
       ) kept where position('annas-command'::bytea in body) > 0 or position(convert_to('Ручной', 'UTF8') in body) > 0`,
      [ids, sellerId],
    );
    expect(rows.rows[0]?.found).toBe('0');
    await eventually(async () => {
      const seen = await told();
      for (const id of ids) expect(seen.get(id)?.at(-1)).toMatchObject({ status: 'removed', title: '' });
    });
  });

  test('[G15] a scan sees every offer once, in parts, and goes on where it was cut', async () => {
    const ann = await as(newSeller());
    const service = await as('service');
    const ids = new Set<string>();
    for (let n = 0; n < 5; n++) ids.add((await publish(ann))._unsafeUnwrap().offerId);
    const scan = async (part: number, parts: number, cursor = '') => {
      const seen: string[] = [];
      let last = cursor;
      for await (const piece of service.scanOffers({ parts, part, cursor })) {
        seen.push(...piece._unsafeUnwrap().offers.map(({ id }) => id));
        last = piece._unsafeUnwrap().cursor;
      }
      return { seen, last };
    };
    const all = await scan(0, 0);
    expect(all.seen.filter((id) => ids.has(id))).toHaveLength(5);
    expect(new Set(all.seen).size).toBe(all.seen.length);
    const parts = await Promise.all([0, 1, 2].map((part) => scan(part, 3)));
    expect(parts.flatMap(({ seen }) => seen).sort()).toEqual([...all.seen].sort());
    expect((await scan(0, 0, all.last)).seen).toEqual([]);
    for await (const piece of ann.scanOffers({ parts: 1, part: 0, cursor: '' }))
      expect(piece._unsafeUnwrapErr().kind).toBe('PermissionDenied');
  });

  test('[G13] what has run out expires by itself, and the topic hears of it', async () => {
    const role = newSeller();
    const ann = await as(role);
    const { offers } = host.container.get(GostTokens.stores);
    const monthAgoUs = (Date.now() - 31 * 86_400_000) * 1_000;
    const old = publication(77, {
      seller: role.slice('seller:'.length) as SellerId,
      nowUs: monthAgoUs,
      shards: 4,
    });
    expect((await offers.commit([{ changes: [old] }]))._unsafeUnwrap()[0]!.isOk()).toBe(true);
    await eventually(async () => {
      const { offer } = (await ann.getOffer({ offerId: old.offer.id }))._unsafeUnwrap();
      expect(offer?.view).toMatchObject({ version: 2n, status: OfferStatus.OFFER_STATUS_EXPIRED });
      const views = (await told()).get(old.offer.id) ?? [];
      expect(views.map(({ status }) => status)).toEqual(['active', 'expired']);
    });
    expect((await ann.getSummary({ sellerId: '' }))._unsafeUnwrap()).toMatchObject({
      active: 0n,
      expired: 1n,
    });
  });

  test('[G6] an operator has a seller’s numbers counted anew', async () => {
    const role = newSeller();
    const ann = await as(role);
    const operator = await as('operator');
    await publish(ann);
    const sellerId = role.slice('seller:'.length);
    await database.pool.query(
      'update gost.user_offer_presets_count set counter = counter + 4 where seller = $1 and preset = 1',
      [sellerId],
    );
    const repaired = (await operator.repairCounts({ sellerId }))._unsafeUnwrap();
    expect(repaired.drifted).toEqual([{ what: 'list/all', drift: 4n }]);
    expect((await operator.repairCounts({ sellerId }))._unsafeUnwrap().drifted).toEqual([]);
  });
});
