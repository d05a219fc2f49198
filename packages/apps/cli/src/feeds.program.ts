import { Option, type Command } from 'commander';
import {
  feedsDiagnose,
  feedsErrors,
  feedsExport,
  feedsFetch,
  feedsLoads,
  feedsRemove,
  feedsSet,
  feedsSettle,
  feedsStatus,
  feedsUpload,
  type FeedErrorsOptions,
  type FeedOptions,
  type FeedSetOptions,
  type FeedUploadOptions,
} from './feeds.command.ts';
import type { CommandResult } from './outcome.ts';

type Kit = {
  readonly answer: (work: Promise<CommandResult>) => Promise<void>;
  readonly number: (text: string) => string;
  readonly signal: AbortSignal;
};

/** Adds `doska feeds …`. */
export const addFeedCommands = (doska: Command, { answer, number, signal }: Kit): void => {
  const feeds = doska.command('feeds').description('feeds of sellers: set, upload, loads, errors');
  /** A command about one feed. */
  const ofFeed = (name: string, description: string): Command =>
    feeds
      .command(name)
      .description(description)
      .option('--namespace <name>', 'which of the seller’s feeds', 'main');
  ofFeed('set <seller>', 'create a feed or change its settings')
    .option('--url <url>', 'fetch it from this link; without it the feed is filled by uploads')
    .option('--every <seconds>', 'how often the link is fetched', number)
    .option('--manual', 'offers that leave the file become the seller’s own instead of being removed')
    .option('--name <name>', 'contact of offers that have none')
    .option('--phone <phone>', 'phone of offers that have no contact')
    .option('--email <address>', 'e-mail of offers that have no contact')
    .option('--address <address>', 'place of offers that have none')
    .option('--currency <code>', 'currency of prices that have none')
    .action((seller: string, options: FeedSetOptions) => answer(feedsSet(seller, options)));
  ofFeed('remove <seller>', 'remove a feed and its offers')
    .option('--manual', 'the offers become the seller’s own')
    .action((seller: string, options: FeedOptions & { manual?: boolean }) =>
      answer(feedsRemove(seller, options)),
    );
  ofFeed('fetch <seller>', 'fetch the link now').action((seller: string, options: FeedOptions) =>
    answer(feedsFetch(seller, options)),
  );
  ofFeed('upload <seller> <file>', 'upload a file')
    .option('--replace', 'the feed has a link: switch it to uploads')
    .option('--request-id <id>', 'the same id again is the same load')
    .option('--wait', 'wait for the end of the load; exits with 2 if it failed or is held')
    .action((seller: string, file: string, options: FeedUploadOptions) =>
      answer(feedsUpload(seller, file, options, signal)),
    );
  ofFeed('loads <seller>', 'the last loads, newest first')
    .option('--limit <count>', 'how many at most, up to 200', number)
    .action((seller: string, options: FeedOptions & { limit?: string }) =>
      answer(feedsLoads(seller, options)),
    );
  ofFeed('status <seller> <task>', 'one load; exits with 2 if it failed or is held')
    .option('--wait', 'wait for its end')
    .action((seller: string, task: string, options: FeedOptions & { wait?: boolean }) =>
      answer(feedsStatus(seller, task, options, signal)),
    );
  ofFeed('errors <seller> <task>', 'errors of a load by offer')
    .addOption(new Option('--level <level>', 'only these').choices(['error', 'warning']))
    .option('--code <code>', 'only errors with this code, for example category')
    .option('--limit <count>', 'how many at most, up to 1000', number)
    .option('--after <place>', 'the next page, as the page before says it')
    .action((seller: string, task: string, options: FeedErrorsOptions) =>
      answer(feedsErrors(seller, task, options)),
    );
  ofFeed('export <seller> <task> <file>', 'write all errors of a load to a file (.csv or .xlsx)').action(
    (seller: string, task: string, file: string, options: FeedOptions) =>
      answer(feedsExport(seller, task, file, options)),
  );
  ofFeed('diagnose <seller> <task>', 'what is wrong by code and field, and how to fix it').action(
    (seller: string, task: string, options: FeedOptions) => answer(feedsDiagnose(seller, task, options)),
  );
  for (const verdict of ['approve', 'reject'] as const)
    ofFeed(`${verdict} <seller> <task>`, `${verdict} the removal of a held load`).action(
      (seller: string, task: string, options: FeedOptions) =>
        answer(feedsSettle(seller, task, verdict, options)),
    );
};
