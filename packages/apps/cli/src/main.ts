import 'reflect-metadata';
import { VERSION } from '@doska/app-composition';
import { Command } from 'commander';
import { migrateCommand } from './migrate.command.ts';
import { EXIT, type CommandResult } from './outcome.ts';
import { statusCommand } from './status.command.ts';
import { tokenCommand, type TokenOptions } from './token.command.ts';

const doska = new Command('doska')
  .description(
    'Looks after a Doska platform: the one that DOSKA_URL names, or the one that runs on the data directory.',
  )
  .version(VERSION)
  .option('--json', 'answer as JSON, for programs')
  .showHelpAfterError()
  .exitOverride((error) => process.exit(error.exitCode === 0 ? 0 : EXIT.usage));

/** Prints what a command answers, in the form that was asked for, and sets the exit code. */
const answer = async (work: Promise<CommandResult>): Promise<void> => {
  const { json } = doska.opts<{ json?: boolean }>();
  const result = await work;
  if (result.isOk()) {
    process.stdout.write(`${json ? JSON.stringify(result.value.value) : result.value.text}\n`);
    return;
  }
  const { message, exitCode } = result.error;
  process.stderr.write(`${json ? JSON.stringify({ error: message, exitCode }) : `doska: ${message}`}\n`);
  process.exitCode = exitCode;
};

doska
  .command('status')
  .description('every worker, lag, lease and job')
  .action(() => answer(statusCommand()));
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
  .option('--dry-run', 'only tell which')
  .action((options: { dryRun?: boolean }) => answer(migrateCommand(options)));

await doska.parseAsync();
