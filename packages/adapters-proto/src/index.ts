export { deadLetterCodec } from './log/dead-letter.codec.ts';
export { timestampFromMs, timestampToMs } from './timestamps.mapper.ts';
export { catalogCodec } from './catalog/catalog.codec.ts';
export {
  attributeToPb,
  categoryToPb,
  contentFromPb,
  contentToPb,
  filterToPb,
  namesToPb,
} from './catalog/catalog.mapper.ts';
