import sharp, { type Sharp } from 'sharp';
import type { ImageError, ImageProcessor, RenderedImage, Rendition } from '@doska/core/photos';
import { err, ok, ResultAsync, type Result } from 'neverthrow';

export type SharpImagesOptions = {
  /** 1 to 100. */
  readonly quality?: number;
  /** The time limit for one rendition. */
  readonly secondsMax?: number;
  /** Threads for one picture. */
  readonly threads?: number;
};

const CONTENT_TYPE = 'image/webp';
/** Limits the height of a rendition relative to its width, so that it also fits WebP's maximal height. */
const HEIGHT_FACTOR = 3;

/** The accepted formats. Other formats are not decoded at all; SVG, for example, could load external files. */
const LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadHeifBuffer',
] as const;

/** libvips settings are global for the process. Its cache is off, because a picture is rarely decoded twice. */
const settle = (threads: number): void => {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: [...LOADERS] });
  sharp.cache(false);
  sharp.concurrency(threads);
};

const isTimeout = (cause: unknown): boolean => cause instanceof Error && cause.message.startsWith('timeout');

/** Makes WebP renditions with libvips. */
export const sharpImages = ({
  quality = 80,
  secondsMax = 20,
  threads = 1,
}: SharpImagesOptions = {}): ImageProcessor => {
  settle(threads);
  const rendition = async (upright: () => Sharp, size: number): Promise<Rendition> => {
    const { data, info } = await upright()
      .resize({ width: size, height: size * HEIGHT_FACTOR, fit: 'inside', withoutEnlargement: true })
      .webp({ quality })
      .timeout({ seconds: secondsMax })
      .toBuffer({ resolveWithObject: true });
    return { size, width: info.width, height: info.height, content: data };
  };
  const render = async (
    content: Uint8Array,
    { sizes, pixelsMax }: { readonly sizes: readonly number[]; readonly pixelsMax: number },
  ): Promise<Result<RenderedImage, ImageError>> => {
    // `failOn: 'truncated'` refuses incomplete pictures and accepts small violations, like browsers do.
    const open = (limitInputPixels: number | false): Sharp =>
      sharp(content, { limitInputPixels, failOn: 'truncated', sequentialRead: true });
    try {
      // Reads only the header, so it is safe for pictures of any size.
      const { width, height, autoOrient } = await open(false).metadata();
      if (width * height > pixelsMax) return err({ kind: 'TooManyPixels', pixelsMax });
      const renditions: Rendition[] = [];
      // One rendition after another, to limit memory.
      for (const size of sizes) renditions.push(await rendition(() => open(pixelsMax).autoOrient(), size));
      return ok({ width: autoOrient.width, height: autoOrient.height, renditions });
    } catch (cause) {
      return err(isTimeout(cause) ? { kind: 'TooComplex' } : { kind: 'NotAPicture' });
    }
  };
  return {
    contentType: CONTENT_TYPE,
    render: (content, options) => new ResultAsync(render(content, options)),
  };
};
