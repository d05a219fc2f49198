import type { Command } from 'commander';
import type { CommandResult } from './outcome.ts';
import {
  snippetsKeys,
  snippetsPurge,
  snippetsRedrive,
  snippetsReload,
  snippetsRetire,
  type KeysOptions,
} from './snippets-admin.command.ts';
import { snippetsDryRun, type DryRunOptions } from './snippets-dry-run.command.ts';
import { snippetsBulk } from './snippets-bulk.command.ts';
import {
  snippetsCheck,
  snippetsExplain,
  snippetsPrefixes,
  type SnippetFileOptions,
} from './snippets-config.command.ts';
import { snippetsDelete, snippetsGet, snippetsPut, type SnippetPutOptions } from './snippets.command.ts';

type Answer = (work: Promise<CommandResult>) => Promise<void>;
type Language = { readonly language?: string };

export const addSnippetCommands = (doska: Command, answer: Answer): void => {
  const snippets = doska
    .command('snippets')
    .description(
      'snippets: check, explain, prefixes, put, get, delete, bulk, keys, purge, reload, redrive, dry-run',
    );
  const ofFiles = (command: Command): Command =>
    command
      .option('--config <file>', 'instead of DOSKA_SNIPPETS_CONFIG')
      .option('--prefixes <file>', 'instead of DOSKA_SNIPPETS_PREFIXES');
  ofFiles(snippets.command('check'))
    .description('check the configuration and list every mistake; needs no platform')
    .action((options: SnippetFileOptions) => answer(snippetsCheck(options)));
  ofFiles(snippets.command('explain <name>'))
    .description('each option of a section, with the section and the line that set it; needs no platform')
    .action((name: string, options: SnippetFileOptions) => answer(snippetsExplain(name, options)));
  ofFiles(snippets.command('prefixes'))
    .description('add the key prefixes that are missing; needs no platform')
    .option('--check', 'only say which are missing; exits with 2 if one is')
    .option('--retire <name>', 'retire the prefix of a section that has nothing stored; asks the platform')
    .action((options: SnippetFileOptions & { check?: boolean; retire?: string }) =>
      answer(
        options.retire === undefined ? snippetsPrefixes(options) : snippetsRetire(options.retire, options),
      ),
    );
  ofFiles(snippets.command('dry-run'))
    .description('how many stored snippets a new configuration would refuse, with examples; changes nothing')
    .option('--section <name>', 'only this section')
    .option('--per-second <n>', 'at most so many snippets a second, 2000 by default')
    .action((options: DryRunOptions) => answer(snippetsDryRun(options)));
  const ofStored = (command: Command): Command =>
    command
      .option('--prefixes <file>', 'instead of DOSKA_SNIPPETS_PREFIXES')
      .option('--service <name>', 'the service of the section; by default the first one that is configured');
  ofStored(snippets.command('keys <name>'))
    .description('the stored keys of a section, in the order of their bytes')
    .option('--prefix <text>', 'only keys that begin with it')
    .option('--after <key>', 'only keys behind this one')
    .option('--limit <n>', 'at most so many, 100 by default')
    .action((name: string, options: KeysOptions) => answer(snippetsKeys(name, options)));
  ofStored(snippets.command('purge <name>'))
    .description('delete everything that is stored for a section which is no longer configured')
    .action((name: string, options: SnippetFileOptions) => answer(snippetsPurge(name, options)));
  snippets
    .command('reload')
    .description('read the configuration again now')
    .action(() => answer(snippetsReload()));
  snippets
    .command('redrive <topic>')
    .description('send the dead letters of an input topic again, with their old versions')
    .option('--section <name>', 'only the letters of this section')
    .action((topic: string, options: { section?: string }) => answer(snippetsRedrive(topic, options)));
  snippets
    .command('put <name> <key> <file>')
    .description('store the content of a file, or of the standard input (-)')
    .option('--type <format>', 'json (default), pb or raw')
    .option('--language <tag>', 'the language of the content')
    .action((name: string, key: string, file: string, options: SnippetPutOptions) =>
      answer(snippetsPut(name, key, file, options)),
    );
  snippets
    .command('bulk <name> <file>')
    .description('store and delete what the lines of a file ask for (NDJSON; - is the standard input)')
    .action((name: string, file: string) => answer(snippetsBulk(name, file)));
  snippets
    .command('get <name> <key>')
    .description('the snippets of a key in a section or a group')
    .option('--language <tag>', 'in this language, else without a language')
    .action((name: string, key: string, options: Language) => answer(snippetsGet(name, key, options)));
  snippets
    .command('delete <name> <key>')
    .description('delete a snippet, or the snippets of a group')
    .option('--language <tag>', 'only in this language')
    .action((name: string, key: string, options: Language) => answer(snippetsDelete(name, key, options)));
};
