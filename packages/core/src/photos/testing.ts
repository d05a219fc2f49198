export { imageProcessorContract, type ImageProcessorHarness } from './testing/image-processor.contract.ts';
export { inMemoryImages, pictureBytes } from './testing/in-memory-images.ts';
export { jsonPhotoCodecs } from './testing/json-photo-codecs.ts';
export { openTestPhotos, type TestPhotos, type TestPhotosNeeds } from './testing/open-test-photos.ts';
