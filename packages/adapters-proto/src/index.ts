export { deadLetterCodec } from './log/dead-letter.codec.ts';
export { timestampFromMs, timestampToMs } from './timestamps.mapper.ts';
