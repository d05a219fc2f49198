import { describe, expect, test } from 'vitest';
import type { ImageProcessor } from '../ports/image-processor.port.ts';

export type ImageProcessorHarness = {
  readonly processor: () => ImageProcessor;
  /** A picture in a format that the processor knows; another `shade` is another picture. */
  readonly picture: (of: {
    readonly width: number;
    readonly height: number;
    readonly shade?: number;
  }) => Promise<Uint8Array>;
};

const options = { sizes: [100, 400], pixelsMax: 1_000_000 };

export const imageProcessorContract = (
  backend: string,
  { processor, picture }: ImageProcessorHarness,
): void => {
  describe(`ImageProcessor contract: ${backend}`, () => {
    const rendered = async (width: number, height: number) => {
      const image = await processor().render(await picture({ width, height }), options);
      const { renditions, ...own } = image._unsafeUnwrap();
      return { own, sizes: renditions.map(({ size, width, height }) => [size, width, height]) };
    };
    test('[G9] one rendition a size, in the picture’s own proportions', async () => {
      expect(await rendered(800, 600)).toEqual({
        own: { width: 800, height: 600 },
        sizes: [
          [100, 100, 75],
          [400, 400, 300],
        ],
      });
    });
    test('[G9] a picture is never made larger', async () => {
      expect((await rendered(300, 200)).sizes).toEqual([
        [100, 100, 67],
        [400, 300, 200],
      ]);
    });
    test('[G9] a tall picture stays within three times its size', async () => {
      expect((await rendered(100, 1_000)).sizes).toEqual([
        [100, 30, 300],
        [400, 100, 1_000],
      ]);
    });
    test('[G9] the same bytes give the same renditions, other bytes others', async () => {
      const bytes = (shade: number) => picture({ width: 200, height: 100, shade });
      const contents = async (content: Uint8Array) =>
        (await processor().render(content, options))
          ._unsafeUnwrap()
          .renditions.map(({ content }) => Buffer.from(content).toString('base64'));
      expect(await contents(await bytes(1))).toEqual(await contents(await bytes(1)));
      expect(await contents(await bytes(1))).not.toEqual(await contents(await bytes(200)));
    });
    test('[G9] what is no picture is refused', async () => {
      const whole = await picture({ width: 300, height: 200 });
      for (const bytes of [Buffer.from(''), Buffer.from('<html>not found</html>'), whole.subarray(0, 20)])
        expect((await processor().render(bytes, options))._unsafeUnwrapErr().kind).toBe('NotAPicture');
    });
    test('[G9] too many pixels are refused, so many are not', async () => {
      const at = async (width: number) =>
        processor().render(await picture({ width, height: 1_000 }), options);
      expect((await at(1_001))._unsafeUnwrapErr()).toEqual({ kind: 'TooManyPixels', pixelsMax: 1_000_000 });
      expect((await at(1_000)).isOk()).toBe(true);
    });
  });
};
