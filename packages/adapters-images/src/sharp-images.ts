import sharp, { type Sharp } from 'sharp';
import type { ImageError, ImageProcessor, RenderedImage, Rendition } from '@doska/core/photos';
import { err, ok, ResultAsync, type Result } from 'neverthrow';

export type SharpImagesOptions = {
  /** 1 to 100. */
  readonly quality?: number;
  /** A picture that takes longer than this to make smaller, a size, is given up. */
  readonly secondsMax?: number;
  /** Threads a picture may use. */
  readonly threads?: number;
};

const CONTENT_TYPE = 'image/webp';
/** A rendition is a column, not a ribbon: it also stays within what WebP can hold. */
const HEIGHT_FACTOR = 3;

/** What browsers make of files that sellers have. Everything else is not even looked at: SVG would load what it names. */
const LOADERS = [
  'VipsForeignLoadJpegBuffer',
  'VipsForeignLoadPngBuffer',
  'VipsForeignLoadWebpBuffer',
  'VipsForeignLoadNsgifBuffer',
  'VipsForeignLoadHeifBuffer',
] as const;

/** libvips is one for the process. Its cache would keep pictures of strangers that nobody asks for twice. */
const settle = (threads: number): void => {
  sharp.block({ operation: ['VipsForeignLoad'] });
  sharp.unblock({ operation: [...LOADERS] });
  sharp.cache(false);
  sharp.concurrency(threads);
};

const isTimeout = (cause: unknown): boolean => cause instanceof Error && cause.message.startsWith('timeout');

/** Renditions in WebP, by libvips. */
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
    // `failOn: 'truncated'`: half a picture is no picture, what merely breaks a rule is shown as browsers show it.
    const open = (limitInputPixels: number | false): Sharp =>
      sharp(content, { limitInputPixels, failOn: 'truncated', sequentialRead: true });
    try {
      // Only the header is read here, so nothing is too large to be asked how large it is.
      const { width, height, autoOrient } = await open(false).metadata();
      if (width * height > pixelsMax) return err({ kind: 'TooManyPixels', pixelsMax });
      const renditions: Rendition[] = [];
      // One after another: a picture takes its share of memory once.
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
