import {
  archiveCat,
  archiveList,
  archiveReplay,
  type ArchiveReplayOptions,
  type WindowOptions,
} from './archive.command.ts';
import { systemClock, VERSION } from '@doska/app-composition';
import { Argument, Command, InvalidArgumentError, Option } from 'commander';
import {
  catalogCheck,
  catalogDiff,
  catalogPublish,
  catalogShow,
  type CatalogPublishOptions,
} from './catalog.command.ts';
import { completionScript, SHELLS } from './completion.ts';
import { ctrLoad, ctrStatus, CTR_KINDS, type CtrLoadOptions } from './ctr.command.ts';
import { demoSeed, type DemoSeedOptions } from './demo/demo.command.ts';
import { exportParked, exportUnpark, type ExportUnparkOptions } from './export.command.ts';
import { addFeedCommands } from './feeds.program.ts';
import { migrateCommand } from './migrate.command.ts';
import { offerWhy, type OfferWhyOptions } from './offer.command.ts';
import { seconds } from './duration.ts';
import { EXIT, type CommandResult } from './outcome.ts';
import { awaited, watched } from './repeat.ts';
import { schedulerPark, schedulerParked, schedulerUnpark, type ParkOptions } from './scheduler.command.ts';
import { searchAudit, searchReindex, type AuditOptions, type ReindexOptions } from './search.command.ts';
import { searchWhy, type SearchWhyOptions } from './search-why.command.ts';
import { sellerErase, type SellerEraseOptions } from './seller.command.ts';
import { addSnippetCommands } from './snippets.program.ts';
import { statusCommand } from './status.command.ts';
import { topicRead, type TopicReadOptions } from './topic.command.ts';
import {
  type EpochOptions,
  epochChange,
  epochStatus,
  failedList,
  failedReplay,
  vasgenResend,
  type ClientOption,
  type ResendOptions,
} from './vasgen.command.ts';
import { tokenCommand, type TokenOptions } from './token.command.ts';

/** Where a command prints, and when it stops. */
export type Surroundings = {
  readonly print: (result: CommandResult, isJson: boolean) => void;
  /** Makes room for the next answer of `--watch`. */
  readonly clear: () => void;
  readonly signal: AbortSignal;
};

const number = (text: string): string => {
  if (!/^\d+$/.test(text)) throw new InvalidArgumentError('it must be a whole number.');
  return text;
};
const time = (text: string): number => {
  const value = seconds(text);
  if (value === undefined) throw new InvalidArgumentError('write 5s, 2m or 1h.');
  return value * 1_000;
};
type StatusOptions = { readonly watch?: number | true; readonly wait?: number | true };
const WATCH_MS = 2_000;
const WAIT_MS = 60_000;

/** The tree of commands. Help, completion and suggestions are made from it. */
export const makeProgram = ({ print, clear, signal }: Surroundings): Command => {
  const doska = new Command('doska')
    .description(
      'Manages a Doska platform: the one at DOSKA_URL, or the one that runs on the data directory.',
    )
    .version(VERSION)
    .option('--json', 'print JSON, for programs')
    .showHelpAfterError()
    .showSuggestionAfterError()
    .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT.usage));
  const show = (result: CommandResult): void => print(result, doska.opts<{ json?: boolean }>().json === true);
  const answer = async (work: Promise<CommandResult> | CommandResult): Promise<void> => show(await work);
  const repeat = { clock: systemClock, signal };

  doska
    .command('status')
    .description(
      'what is wrong, every process, worker, lag, lease and job; exits with 2 if something is wrong',
    )
    .option('--watch [time]', 'show it again every 2s, or as often as said, until Ctrl-C', time)
    .option(
      '--wait [time]',
      'wait until the platform answers and nothing is wrong, for 60s or as long as said',
      time,
    )
    .action(async ({ watch, wait }: StatusOptions) => {
      if (watch !== undefined)
        return watched(statusCommand, watch === true ? WATCH_MS : watch, repeat, (result) => {
          clear();
          show(result);
        });
      return answer(
        wait === undefined ? statusCommand() : awaited(statusCommand, wait === true ? WAIT_MS : wait, repeat),
      );
    });
  doska
    .command('token')
    .description('issue a token with the current key')
    .requiredOption('--subject <name>', 'who it is for')
    .requiredOption('--role <role...>', 'service, operator, seller:<id>, anonymous:<id>, publisher:<prefix>')
    .option('--ttl <time>', 'how long it is valid: 90s, 30m, 12h, 7d', '12h')
    .action((options: TokenOptions) => answer(tokenCommand(options)));
  doska
    .command('migrate')
    .description('apply the migrations that the database lacks')
    .option('--dry-run', 'only list them')
    .action((options: { dryRun?: boolean }) => answer(migrateCommand(options)));

  const catalog = doska.command('catalog').description('the catalogue: check, publish, diff, show');
  catalog
    .command('check <dir>')
    .description('check that the files of a folder make a valid catalogue')
    .action((dir: string) => answer(catalogCheck(dir)));
  catalog
    .command('publish <dir>')
    .description('publish the files of a folder as the next version')
    .option('--dry-run', 'only show what would change')
    .option('--expect <version>', 'only if this is still the newest version', number)
    .option('--allow-type-changes', 'attributes may change their type')
    .action((dir: string, options: CatalogPublishOptions) => answer(catalogPublish(dir, options)));
  catalog
    .command('diff')
    .argument('<since>', 'a version; 0 is the empty catalogue', number)
    .argument('[until]', 'a version; the newest if left out', number)
    .description('what changed between two versions')
    .action((since: string, until: string | undefined) => answer(catalogDiff(since, until)));
  catalog
    .command('show [category]')
    .description('the tree, or one category with its attributes')
    .option('--at <version>', 'in an older version', number)
    .action((id: string | undefined, options: { at?: string }) => answer(catalogShow(id, options)));

  addSnippetCommands(doska, answer);

  doska
    .command('offer')
    .description('offers: why')
    .command('why <id>')
    .description('explain the state of an offer and list its changes, newest first')
    .option('--limit <count>', 'how many changes at most, up to 200', number)
    .action((id: string, options: OfferWhyOptions) => answer(offerWhy(id, options)));

  doska
    .command('seller')
    .description('sellers: erase')
    .command('erase <id>')
    .description('erase the personal data of a seller: offers, draft, history')
    .option('--yes', 'really erase')
    .action((id: string, options: SellerEraseOptions) => answer(sellerErase(id, options)));

  addFeedCommands(doska, { answer, number, signal });

  const exporting = doska
    .command('export')
    .description('records on their way from the offer store to the topics');
  exporting
    .command('parked [key]')
    .description('records that their topic refused because of their size, 100 at most')
    .action((key: string | undefined) => answer(exportParked(key)));
  exporting
    .command('unpark [key]')
    .description('send parked records again, 100 at most: those of a key, or all')
    .option('--all', 'the records of all keys')
    .action((key: string | undefined, options: ExportUnparkOptions) => answer(exportUnpark(key, options)));

  const ofClient = ['--client <name>', 'whose documents', 'offers'] as const;
  const epoch = doska
    .command('epoch')
    .description('epochs of an index: status, create, promote, rollback, finish, cancel');
  epoch
    .command('status')
    .description('the living epochs of a client')
    .option(...ofClient)
    .action((options: ClientOption) => answer(epochStatus(options)));
  const changes = {
    create: 'begin a new epoch beside the serving one',
    promote: 'the building epoch serves, the serving one is retained',
    rollback: 'the retained epoch serves again',
    finish: 'drop the retained epoch with its documents and index',
    cancel: 'drop the building epoch with its documents and index',
  } as const;
  for (const [command, words] of Object.entries(changes) as [keyof typeof changes, string][]) {
    const change = epoch
      .command(command)
      .description(words)
      .option(...ofClient);
    if (command === 'promote') change.option('--force', 'do not wait until the epoch has caught up');
    change.action((options: EpochOptions) => answer(epochChange(command, options)));
  }
  const failed = doska
    .command('failed')
    .description('documents that could not be indexed: list, dry-run, replay');
  failed
    .command('list')
    .description('documents that are not tried again by themselves')
    .option(...ofClient)
    .action((options: ClientOption) => answer(failedList(options)));
  failed
    .command('dry-run [pks...]')
    .description('tell whether they can be converted now; all of them if none is named')
    .option(...ofClient)
    .action((pks: string[], options: ClientOption) =>
      answer(failedReplay(pks, { ...options, dryRun: true })),
    );
  failed
    .command('replay [pks...]')
    .description('try them again; all of them if none is named')
    .option(...ofClient)
    .action((pks: string[], options: ClientOption) => answer(failedReplay(pks, options)));
  doska
    .command('vasgen')
    .description('indexing: resend')
    .command('resend [pks...]')
    .description('send documents to the index again, apart from the live ones')
    .option(...ofClient)
    .option('--since <time>', 'documents that were written since this moment')
    .option('--all', 'every document')
    .action((pks: string[], options: ResendOptions) => answer(vasgenResend(pks, options)));

  const search = doska.command('search').description('the search index of offers: why, reindex, audit');
  search
    .command('why <offer>')
    .description('why an offer is in the results of a search or not: from the offer store to its page')
    .option('--text <text>', 'what the buyer types')
    .option('--category <id>', 'the category that the buyer is in')
    .option('--filter <filters...>', 'as in the requests: price:..2000 attr.brand:bmw')
    .option('--sort <order>', 'relevance, date, price, priceDesc or distance')
    .option('--near <point>', 'for the sort by distance: latitude,longitude')
    .option('--page-size <count>', 'offers on a page', number)
    .action((offer: string, options: SearchWhyOptions) => answer(searchWhy(offer, options)));
  search
    .command('reindex')
    .description('send every active offer to the index again, and delete documents whose offers are gone')
    .option('--epoch <number>', 'only this epoch', number)
    .option('--category <id>', 'only offers of this category and of those below it')
    .option('--from <cursor>', 'continue where an earlier run stopped')
    .action((options: ReindexOptions) => answer(searchReindex(options)));
  search
    .command('audit')
    .description('compare the offer store with the index')
    .option('--epoch <number>', 'only this epoch', number)
    .option('--from <cursor>', 'continue where an earlier run stopped')
    .option('--repair', 'send what differs to the index')
    .action((options: AuditOptions) => answer(searchAudit(options)));

  const ctr = doska.command('ctr').description('click rates of offers: load, status');
  ctr
    .command('load <file>')
    .description('load a table: a CSV file with the columns offer_id and ctr, or NDJSON')
    .addOption(
      new Option('--kind <kind>', 'weekly: the rate of each offer; hourly: the offers that were seen')
        .choices(CTR_KINDS)
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'the name of the table; the name of the file if left out')
    .action((file: string, options: CtrLoadOptions) => answer(ctrLoad(file, options)));
  ctr
    .command('status')
    .description('which rates are used, what is being loaded, what waits')
    .action(() => answer(ctrStatus()));

  const scheduler = doska
    .command('scheduler')
    .description('offers that can not become documents of the index now: parked, park, unpark');
  scheduler
    .command('parked')
    .description('offers that are retried apart from their partition, with reason and since when')
    .action(() => answer(schedulerParked()));
  scheduler
    .command('park <offer>')
    .description('retry an offer apart, so that it does not block its partition (doska status names it)')
    .option('--reason <text>', 'for those who look at the list later')
    .action((id: string, options: ParkOptions) => answer(schedulerPark(id, options)));
  scheduler
    .command('unpark <offer>')
    .description('retry a parked offer now; it leaves the lot if it can be sent')
    .action((id: string) => answer(schedulerUnpark(id)));

  const archive = doska
    .command('archive')
    .description('everything that was sent to the index: ls, cat, replay');
  archive
    .command('ls')
    .description('the segments with records in a window of time')
    .option(...ofClient)
    .option('--from <time>', 'records since this moment')
    .option('--to <time>', 'records up to this moment')
    .action((options: WindowOptions) => answer(archiveList(options)));
  archive
    .command('cat <segment>')
    .description('the records of a segment, a line each')
    .option(...ofClient)
    .action((id: string, options: ClientOption) => answer(archiveCat(id, options)));
  archive
    .command('replay')
    .description('send the documents of a window of time again, apart from the live ones; fresher ones stay')
    .option(...ofClient)
    .option('--from <time>', 'records since this moment')
    .option('--to <time>', 'records up to this moment')
    .option('--epoch <number>', 'the epoch that they go to instead of their own')
    .action((options: ArchiveReplayOptions) => answer(archiveReplay(options)));

  doska
    .command('demo')
    .description('made-up offers to try search with: seed')
    .command('seed')
    .description(
      'publish made-up offers through the public API; run it again to continue after an interruption',
    )
    .option('--offers <count>', 'how many', number, '10000')
    .option('--sellers <count>', 'of how many sellers', number, '200')
    .option('--seed <number>', 'another number makes other offers', number, '1')
    .option('--no-rates', 'without made-up click rates')
    .action((options: DemoSeedOptions) => answer(demoSeed(options)));

  doska
    .command('topic')
    .description('topics: read')
    .command('read <topic>')
    .description('the records of a topic, oldest first; no consumer position changes')
    .option('--key <key>', 'only records of this key')
    .option('--limit <count>', 'how many at most, up to 1000', number)
    .action((topic: string, options: TopicReadOptions) => answer(topicRead(topic, options)));
  doska
    .command('completion')
    .description('print a script that completes commands and options with the Tab key')
    .addArgument(new Argument('<shell>', 'the shell').choices(Object.keys(SHELLS)))
    .action((shell: string) => answer(completionScript(doska, shell)));
  return doska;
};
