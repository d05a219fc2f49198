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
export { enumTable } from './enum-table.mapper.ts';
export { InvalidUtf8, utf8Text } from './utf8-text.ts';
export { messageBytes } from './message.codec.ts';
export { flowCodecs, gostCodecs } from './gost/gost.codec.ts';
export { photoCodecs } from './photos/photo.codec.ts';
export {
  moneyToPb,
  publicOfferToPb,
  statuses,
  textFromPb,
  textToPb,
  viewFromPb,
  viewToPb,
} from './gost/offer.mapper.ts';
export { indexedFromPb, indexedToPb, vasgenCodecs } from './vasgen/vasgen.codec.ts';
export { documentFromPb, documentToPb, placeFromPb, placeToPb } from './vasgen/document.mapper.ts';
export { verdictFromPb, verdictToPb } from './vasgen/verdict.mapper.ts';
export { messageParts, type BadDescriptors } from './snippets/message-parts.ts';
export { snippetRetryCodec } from './snippets/retry.codec.ts';
export { cardCodec, cardToPb } from './search/card.codec.ts';
export { eventKindFromPb, searchEventsCodec } from './search/search-events.codec.ts';
