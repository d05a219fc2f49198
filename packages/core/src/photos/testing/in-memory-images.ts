import { err, ok, ResultAsync, type Result } from 'neverthrow';
import type { ImageError } from '../domain/failure.ts';
import type { ImageProcessor, RenderedImage, RenderOptions } from '../ports/image-processor.port.ts';

const FORMAT = /^picture (\d+)x(\d+) shade (\d+)$/;

/** A picture as `inMemoryImages` knows them: words about one. */
export const pictureBytes = ({ width = 800, height = 600, shade = 0 } = {}): Uint8Array =>
  new TextEncoder().encode(`picture ${width}x${height} shade ${shade}`);

const HEIGHT_FACTOR = 3;

/** Keeps the promises of the port on pictures made of words. */
export const inMemoryImages = (): ImageProcessor => {
  const render = (content: Uint8Array, options: RenderOptions): Result<RenderedImage, ImageError> => {
    const [, wide, high, shade] = FORMAT.exec(new TextDecoder().decode(content)) ?? [];
    if (shade === undefined) return err({ kind: 'NotAPicture' });
    const width = Number(wide);
    const height = Number(high);
    const { sizes, pixelsMax } = options;
    if (width * height > pixelsMax) return err({ kind: 'TooManyPixels', pixelsMax });
    const renditions = sizes.map((size) => {
      const scale = Math.min(1, size / width, (size * HEIGHT_FACTOR) / height);
      const small = {
        width: Math.round(width * scale),
        height: Math.round(height * scale),
        shade: Number(shade),
      };
      return { size, width: small.width, height: small.height, content: pictureBytes(small) };
    });
    return ok({ width, height, renditions });
  };
  return {
    contentType: 'text/picture',
    render: (content, options) => new ResultAsync(Promise.resolve(render(content, options))),
  };
};
