import type { ResultAsync } from 'neverthrow';
import type { ImageError } from '../domain/failure.ts';

export type Rendition = {
  readonly size: number;
  readonly width: number;
  readonly height: number;
  readonly content: Uint8Array;
};
export type RenderedImage = {
  /** Of the picture as a viewer sees it. */
  readonly width: number;
  readonly height: number;
  /** In the order of the sizes that were asked for. */
  readonly renditions: readonly Rendition[];
};
export type RenderOptions = {
  /** A rendition is at most so wide, and three times as high. */
  readonly sizes: readonly number[];
  readonly pixelsMax: number;
};

/** Pictures of strangers, made small and harmless. */
export interface ImageProcessor {
  /** The media type of every rendition. */
  readonly contentType: string;
  /**
   * One rendition a size, in the picture's own proportions; none is larger than the picture. The same bytes give the same
   * renditions. Renditions stand upright and carry nothing of the original but what is seen. Bytes that are no picture,
   * or promise too many pixels, are refused before they are decoded.
   */
  render(content: Uint8Array, options: RenderOptions): ResultAsync<RenderedImage, ImageError>;
}
