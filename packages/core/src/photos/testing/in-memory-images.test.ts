import { imageProcessorContract } from './image-processor.contract.ts';
import { inMemoryImages, pictureBytes } from './in-memory-images.ts';

imageProcessorContract('memory', {
  processor: inMemoryImages,
  picture: async (of) => pictureBytes(of),
});
