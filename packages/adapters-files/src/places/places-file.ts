import { z } from 'zod';

const coordinates = { latitude: z.number().min(-90).max(90), longitude: z.number().min(-180).max(180) };
const Spot = z.strictObject({ name: z.string().min(1), ...coordinates });

/** A city in a file of places. */
export const CityFile = z.strictObject({
  id: z.string().regex(/^[a-z0-9-]+$/),
  /** The first is the name, the others are spellings that people also use. */
  names: z.array(z.string().min(1)).min(1),
  ...coordinates,
  /** The radius of the city. */
  radiusKm: z.number().positive().max(200),
  districts: z.array(Spot).default([]),
  metro: z.array(Spot).default([]),
});
export const PlacesFile = z.array(CityFile);
export type City = z.infer<typeof CityFile>;
export type Spot = z.infer<typeof Spot>;
