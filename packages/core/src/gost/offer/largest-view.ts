import { FIELD_BOUNDS } from './field-rules.ts';
import type { OfferLimits } from './validation.ts';

/** Ids, numbers, times and the framing of all fields. */
const FRAME_BYTES = 8 * 1024;
/** An image beside its address: its id, its sides, or why it failed. */
const IMAGE_BYTES = 400;
/** A character of UTF-8 at most. */
const CHAR_BYTES = 4;

/** No view of an offer within these limits takes more bytes in its topic: the content, its place, its images and the reasons of a ban. */
export const largestViewBytes = ({ offerBytesMax, photosMax, urlCharsMax }: OfferLimits): number =>
  FRAME_BYTES +
  (FIELD_BOUNDS.metroStations + 2) * FIELD_BOUNDS.geoIdChars * CHAR_BYTES +
  offerBytesMax +
  photosMax * (urlCharsMax * CHAR_BYTES + IMAGE_BYTES) +
  FIELD_BOUNDS.reasons * FIELD_BOUNDS.reasonChars * CHAR_BYTES;
