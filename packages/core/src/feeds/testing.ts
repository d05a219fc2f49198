export { feedStoresContract, type FeedStoresHarness } from './testing/feed-stores.contract.ts';
export { inMemoryFeedStores } from './testing/in-memory-feed-stores.ts';
export { composeFeeds } from './open-feeds.ts';
