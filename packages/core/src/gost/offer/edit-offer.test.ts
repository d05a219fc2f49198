import { describe, expect, test } from 'vitest';
import { countingIds, manualClock, memoryDatabase, seededRandom } from '../../kernel/testing.ts';
import type { SellerId } from './offer.ts';
import { openTestGost } from '../testing/open-test-gost.ts';
import { inMemoryGostStores } from '../testing/gost-stores.ts';
import { commandId, sampleContent } from '../testing/samples.ts';

const seller = 'ann' as SellerId;
const placed = (address: string | undefined) => sampleContent({ place: { address, point: undefined } });
const kazan = { geoId: 'kazan', district: undefined, metro: ['Кремлёвская'] };

const open = async (address: string | undefined) => {
  const time = manualClock(1_000);
  const stores = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
  const gost = openTestGost({
    stores,
    clock: time.clock,
    random: seededRandom(1),
    newName: countingIds().next,
  });
  const draft = (await gost.currentDraft({ userId: seller }))._unsafeUnwrap();
  const { category, ...content } = placed(address);
  await gost.saveDraft({ owner: { kind: 'user', id: seller }, draftId: draft.id, category, content });
  const { offerId } = (await gost.publishDraft({ seller, draftId: draft.id }))._unsafeUnwrap();
  let edits = 0;
  const edit = async (to: string | undefined) => {
    const command = { id: commandId(`edit-${++edits}`), by: 'seller' } as const;
    return (await gost.editOffer({ ...command, offerId, content: placed(to) }))._unsafeUnwrap();
  };
  const geo = async () => (await stores.offers.load([offerId]))._unsafeUnwrap()[0]!.geo;
  return { edit, geo };
};

describe('places', () => {
  test('[G4] are found when an offer is published and when it moves', async () => {
    const { edit, geo } = await open('Казань, Кремль');
    expect(await geo()).toEqual(kazan);
    await edit('Неизвестно где');
    expect(await geo()).toBeUndefined();
    await edit('Казань');
    expect(await geo()).toEqual(kazan);
    await edit(undefined);
    expect(await geo()).toBeUndefined();
  });
  test('[G4] an edit that changes nothing changes nothing', async () => {
    const { edit } = await open('Казань');
    expect((await edit('Казань')).changed).toBe(false);
  });
  test('[G4] an unavailable geocoder does not block an edit', async () => {
    const { edit, geo } = await open('nowhere to be had');
    expect(await geo()).toBeUndefined();
    expect((await edit('nowhere to be had')).changed).toBe(false);
  });
});
