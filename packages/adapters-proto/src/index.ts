export { deadLetterCodec, type DeadLetter } from './log/dead-letter.codec.ts';
export { timestampFromMs, timestampToMs } from './timestamps.ts';
