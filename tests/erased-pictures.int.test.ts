import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import sharp from 'sharp';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { catalogApi } from '@doska/app-catalog-api';
import { loadConfig, startHost, type RunningHost } from '@doska/app-composition';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { GostTokens } from '@doska/app-wiring/gost';
import { contexts } from '@doska/app-wiring';
import { gostScheduler } from '@doska/app-gost-scheduler';
import type { CategoryId } from '@doska/core/catalog';
import { emptyText, type CommandId, type Offer, type OfferId, type SellerId } from '@doska/core/gost';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { gostApi } from '../packages/apps/gost-api/src/index.ts';
import { photos } from '../packages/apps/photos/src/index.ts';
import { pictureServer, type PictureServer } from '../packages/apps/photos/src/testing/picture-server.ts';

let database: FreshDatabase, web: PictureServer, host: RunningHost;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-erased-pictures-'));
const colours = ['teal', 'red', 'navy', 'gold'];
beforeAll(async () => {
  const pictures = await Promise.all(
    colours.map((background) =>
      sharp({ create: { width: 300, height: 200, channels: 3, background } })
        .png()
        .toBuffer(),
    ),
  );
  web = await pictureServer((request, response) => {
    const picture = pictures[colours.indexOf(request.url?.slice(1) ?? '')];
    return void (picture ? response.end(picture) : response.writeHead(404).end());
  });
  database = await freshDatabase();
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_GOST_EXPORT_SHARDS: '2',
      DOSKA_DOWNLOAD_ALLOW: '127.0.0.1',
      DOSKA_PHOTOS_GRACE_MS: '0',
    },
    contexts,
  )._unsafeUnwrap();
  host = (
    await startHost('erased-pictures', [catalogApi, gostApi, gostScheduler, photos], config)
  )._unsafeUnwrap();
  await eventually(() => host.container.get(CatalogTokens.cache).copy()._unsafeUnwrap());
});
afterAll(async () => {
  await host?.stop();
  await database?.drop();
  web?.close();
  rmSync(dataDir, { recursive: true, force: true });
});

const category = 'rodents' as CategoryId;
const contentOf = (...names: readonly string[]) => ({
  ...emptyText,
  title: 'Хомяк',
  contacts: { name: undefined, phone: '+7 900 000-00-00', email: undefined },
  photos: names.map((name) => web.url(`/${name}`)),
});
const publish = async (seller: SellerId, ...names: readonly string[]): Promise<OfferId> => {
  const { useCases } = host.container.get(GostTokens.gost);
  const owner = { kind: 'user', id: seller } as const;
  const draft = (await useCases.currentDraft({ userId: seller, category }))._unsafeUnwrap();
  const content = contentOf(...names);
  (await useCases.saveDraft({ owner, draftId: draft.id, category, content }))._unsafeUnwrap();
  return (await useCases.publishDraft({ seller, draftId: draft.id }))._unsafeUnwrap().offerId;
};
const offer = async (id: OfferId): Promise<Offer> =>
  (await host.container.get(GostTokens.stores).offers.load([id]))._unsafeUnwrap()[0]!;
/** The ids of its pictures, when all of them are there. */
const pictured = (id: OfferId, count: number): Promise<readonly string[]> =>
  eventually(
    async () => {
      const images = (await offer(id)).images.flatMap(({ outcome }) =>
        outcome.kind === 'ready' ? [outcome.imageId] : [],
      );
      expect(images).toHaveLength(count);
      return images;
    },
    { withinMs: 20_000 },
  );
const manifests = (): readonly string[] =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' })
    .filter((path) => path.includes('photo-manifests'))
    .flatMap((path) => /[0-9a-f]{64}/.exec(path) ?? [])
    .sort();
const renditions = (): number =>
  readdirSync(dataDir, { recursive: true, encoding: 'utf8' }).filter((path) =>
    /\/photos\/.*[0-9a-f]{64}/.test(path),
  ).length;
const status = async (image: string): Promise<number> =>
  (await fetch(`${host.run.httpUrl}/photos/${image}/160`)).status;

test('[G9] [G16] a picture that no offer names after an edit or an erasure is deleted; one that another offer names stays', async () => {
  const ann = 'ann' as SellerId;
  const bob = 'bob' as SellerId;
  const anns = await publish(ann, 'teal', 'red', 'navy');
  const [teal, red, navy] = await pictured(anns, 3);
  const bobs = await publish(bob, 'red');
  await pictured(bobs, 1);
  expect(manifests()).toHaveLength(3);

  const { useCases } = host.container.get(GostTokens.gost);
  const edit = { offerId: anns, id: 'e1' as CommandId, by: 'seller', seller: ann } as const;
  const content = { ...contentOf('teal', 'red', 'gold'), category };
  (await useCases.editOffer({ ...edit, content }))._unsafeUnwrap();
  const gold = (await pictured(anns, 3)).find((image) => ![teal, red, navy].includes(image));
  await eventually(() => expect(manifests()).toEqual([gold!, red!, teal!].sort()), { withinMs: 20_000 });
  expect(await status(teal!)).toBe(200);

  // A removed offer keeps its pictures: it may come back.
  const removal = { kind: 'remove', id: 'r1' as CommandId, by: 'seller', seller: ann } as const;
  (await useCases.changeOffer({ offerId: anns, command: removal }))._unsafeUnwrap();
  expect((await useCases.eraseSeller({ seller: ann }))._unsafeUnwrap().cursor).toBeUndefined();
  await eventually(
    () => {
      expect(manifests()).toEqual([red]);
      // 300 pixels wide: the larger two of its sizes are one.
      expect(renditions()).toBe(2);
    },
    { withinMs: 20_000 },
  );
  expect(await status(red!)).toBe(200);
  const rows = await database.pool.query<{ text: string }>(
    `select space || ' ' || key || ' ' || encode(value, 'escape') as text from stored_value where space like 'photo%'`,
  );
  // What was named when the seller was erased; an earlier address is remembered no longer than any other.
  for (const name of ['teal', 'gold'])
    expect(rows.rows.filter(({ text }) => text.includes(`/${name}`))).toEqual([]);
}, 90_000);
