export { feedStoresContract, type FeedStoresHarness } from './testing/feed-stores.contract.ts';
export { inMemoryFeedStores } from './testing/in-memory-feed-stores.ts';
export { composeFeeds } from './open-feeds.ts';
export { guessCategory, type CategoryGuess } from './recognition/recognise-category.ts';
export { recognitionIndex } from './recognition/recognition-index.ts';
export { valuesInTitle } from './recognition/recognise-values.ts';
export { madeFeed, madeOffer, type MadeFeed } from './testing/made-feed.ts';
export { makeExportErrors } from './use-cases/export-errors.ts';
