import type { Geo, Place } from '@doska/core/gost';
import type { City, Spot } from './places-file.ts';

type Point = NonNullable<Place['point']>;
/** A station farther away than this is ignored. */
const METRO_KM = 3;
const METRO_MAX = 3;
const EARTH_KM = 6_371;

const radians = (degrees: number): number => (degrees * Math.PI) / 180;
const distanceKm = (a: Point, b: Point): number => {
  const dLat = radians(b.latitude - a.latitude);
  const dLon = radians(b.longitude - a.longitude);
  const h =
    Math.sin(dLat / 2) ** 2 +
    Math.cos(radians(a.latitude)) * Math.cos(radians(b.latitude)) * Math.sin(dLon / 2) ** 2;
  return 2 * EARTH_KM * Math.asin(Math.min(1, Math.sqrt(h)));
};
const byDistance = (point: Point, spots: readonly Spot[]): readonly { spot: Spot; km: number }[] =>
  spots.map((spot) => ({ spot, km: distanceKm(point, spot) })).sort((a, b) => a.km - b.km);

/** Folds case, ё and punctuation, and adds blanks around, so that only whole names match. */
const folded = (text: string): string =>
  ` ${text
    .toLowerCase()
    .replaceAll('ё', 'е')
    .replace(/[^\p{L}\p{N}]+/gu, ' ')
    .trim()} `;
const names = (text: string, name: string): boolean => text.includes(folded(name));

const near = (point: Point, { id, districts, metro }: City): Geo => ({
  geoId: id,
  district: byDistance(point, districts)[0]?.spot.name,
  metro: byDistance(point, metro)
    .filter(({ km }) => km <= METRO_KM)
    .slice(0, METRO_MAX)
    .map(({ spot }) => spot.name),
});
const named = (address: string, { id, districts, metro }: City): Geo => ({
  geoId: id,
  district: districts.find(({ name }) => names(address, name))?.name,
  metro: metro
    .filter(({ name }) => names(address, name))
    .map(({ name }) => name)
    .slice(0, METRO_MAX),
});

export type Gazetteer = { readonly locate: (place: Place) => Geo | undefined };

/** Finds a city by coordinates or by its name in an address. The longest name wins. */
export const gazetteer = (cities: readonly City[]): Gazetteer => {
  const byName = cities
    .flatMap((city) => city.names.map((name) => ({ city, name: folded(name) })))
    .sort((a, b) => b.name.length - a.name.length);
  const cityAt = (point: Point): City | undefined =>
    cities
      .map((city) => ({ city, share: distanceKm(point, city) / city.radiusKm }))
      .filter(({ share }) => share <= 1)
      .sort((a, b) => a.share - b.share)[0]?.city;
  return {
    locate: ({ address, point }) => {
      if (point) {
        const city = cityAt(point);
        return city && near(point, city);
      }
      const text = folded(address ?? '');
      const city = byName.find(({ name }) => text.includes(name))?.city;
      return city && named(text, city);
    },
  };
};
