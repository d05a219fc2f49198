export {
  decideFeedTask,
  feedTaskTable,
  type FeedTaskDecision,
  type FeedTaskRefused,
  type Ignored,
} from './domain/decide-feed-task.ts';
export {
  defaultFeedTaskSettings,
  FEED_TASK_PLACES,
  newFeedTask,
  type FeedTask,
  type FeedTaskEffect,
  type FeedTaskEvent,
  type FeedTaskEventKind,
  type FeedTaskFailure,
  type FeedTaskId,
  type FeedTaskPlace,
  type FeedTaskSettings,
} from './domain/feed-task.ts';
