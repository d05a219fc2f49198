import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ok } from 'neverthrow';
import { describe, expect, onTestFinished, test } from 'vitest';
import { fileGeocoder } from './file-geocoder.ts';

const at = (latitude: number, longitude: number) => ({ address: undefined, point: { latitude, longitude } });
const called = (address: string) => ({ address, point: undefined });

describe('places', () => {
  test.each([
    ['the Kremlin', at(55.752, 37.6175), 'moscow', 'Центральный', 'Охотный Ряд'],
    ['Nevsky 28', at(59.9357, 30.3259), 'saint-petersburg', 'Центральный', 'Невский проспект'],
    [
      'an address',
      called('г. Казань, Вахитовский р-н, м. Площадь Тукая, д. 1'),
      'kazan',
      'Вахитовский',
      'Площадь Тукая',
    ],
    ['ё and case', called('КАЗАНЬ, кремлевская'), 'kazan', undefined, 'Кремлёвская'],
    ['another spelling', called('Питер, Купчино'), 'saint-petersburg', undefined, 'Купчино'],
    ['a long name before a short one in it', called('Ростов-на-Дону'), 'rostov-on-don', undefined, undefined],
  ])('[G4] finds %s', async (_, place, geoId, district, station) => {
    const geocoder = (await fileGeocoder())._unsafeUnwrap();
    const found = (await geocoder.locate(place))._unsafeUnwrap();
    expect([found?.geoId, found?.district, found?.metro[0]]).toEqual([geoId, district, station]);
  });
  test.each([
    ['the ocean', at(0, -150)],
    ['a part of a word', called('Москвариум')],
    ['nothing', called('')],
  ])('[G4] does not find %s', async (_, place) => {
    const geocoder = (await fileGeocoder())._unsafeUnwrap();
    expect(await geocoder.locate(place)).toEqual(ok(undefined));
  });
  test('[G4] coordinates take precedence over the address', async () => {
    const geocoder = (await fileGeocoder())._unsafeUnwrap();
    const place = { address: 'Москва', point: { latitude: 55.796, longitude: 49.106 } };
    expect((await geocoder.locate(place))._unsafeUnwrap()?.geoId).toBe('kazan');
  });
  test('[G4] a broken file is reported with the position of the mistake', async () => {
    const dir = mkdtempSync(join(tmpdir(), 'doska-places-'));
    onTestFinished(() => rmSync(dir, { recursive: true }));
    const file = join(dir, 'places.json');
    writeFileSync(file, JSON.stringify([{ id: 'x', names: ['X'], latitude: 91, longitude: 0, radiusKm: 1 }]));
    expect((await fileGeocoder(file))._unsafeUnwrapErr()).toMatchObject({ kind: 'PlacesBroken', file });
    expect((await fileGeocoder(file))._unsafeUnwrapErr().message).toContain('0.latitude');
    expect((await fileGeocoder(join(dir, 'none.json'))).isErr()).toBe(true);
  });
});
