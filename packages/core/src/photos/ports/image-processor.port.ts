import type { ResultAsync } from 'neverthrow';
import type { ImageError } from '../domain/failure.ts';

export type Rendition = {
  readonly size: number;
  readonly width: number;
  readonly height: number;
  readonly content: Uint8Array;
};
export type RenderedImage = {
  /** Size of the upright picture. */
  readonly width: number;
  readonly height: number;
  /** In the order of the requested sizes. */
  readonly renditions: readonly Rendition[];
};
export type RenderOptions = {
  /** A rendition is at most this wide, and at most three times as high. */
  readonly sizes: readonly number[];
  readonly pixelsMax: number;
};

/** Makes small, safe renditions of untrusted pictures. */
export interface ImageProcessor {
  /** The media type of every rendition. */
  readonly contentType: string;
  /**
   * One rendition per size, in the proportions of the picture, never larger than it. The same bytes give the same
   * renditions. Renditions are upright and hold no metadata. Bytes that are no picture, or declare too many pixels, are
   * refused before decoding.
   */
  render(content: Uint8Array, options: RenderOptions): ResultAsync<RenderedImage, ImageError>;
}
