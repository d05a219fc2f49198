/** Bounds of what a reader takes from a file. */
export type ReadLimits = {
  readonly decodedBytesMax: number;
  /** Decoded bytes for each stored byte. */
  readonly ratioMax: number;
  readonly depthMax: number;
  readonly nameCharsMax: number;
  readonly attributeCharsMax: number;
  readonly attributesMax: number;
  /** Longer texts of an element are cut. */
  readonly textCharsMax: number;
  readonly offersMax: number;
};
export const defaultReadLimits: ReadLimits = {
  decodedBytesMax: 8 * 2 ** 30,
  ratioMax: 200,
  depthMax: 16,
  nameCharsMax: 200,
  attributeCharsMax: 2_000,
  attributesMax: 20,
  textCharsMax: 100_000,
  offersMax: 10_000_000,
};
