import { readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import type { Geocoder } from '@doska/core/gost';
import { err, ok, okAsync, type Result } from 'neverthrow';
import { gazetteer } from './gazetteer.ts';
import { PlacesFile } from './places-file.ts';

/** The cities that come with the platform. The path is valid from `src` and from `dist`. */
export const PLACES_FILE = fileURLToPath(new URL('../../gazetteer/places.json', import.meta.url));

export type PlacesBroken = { readonly kind: 'PlacesBroken'; readonly file: string; readonly message: string };

/** A geocoder for the cities of a file. It finds them by coordinates or by names in an address. */
export const fileGeocoder = async (file = PLACES_FILE): Promise<Result<Geocoder, PlacesBroken>> => {
  const broken = (message: string): Result<never, PlacesBroken> =>
    err({ kind: 'PlacesBroken', file, message });
  try {
    const parsed = PlacesFile.safeParse(JSON.parse(await readFile(file, 'utf8')));
    if (!parsed.success) {
      const [issue] = parsed.error.issues;
      return broken(`${issue?.path.map(String).join('.')}: ${issue?.message}`);
    }
    const { locate } = gazetteer(parsed.data);
    return ok({ locate: (place) => okAsync(locate(place)) });
  } catch (cause) {
    return broken(cause instanceof Error ? cause.message : 'not JSON');
  }
};
