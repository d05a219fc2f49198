import type { Command } from 'commander';
import type { CommandResult } from './outcome.ts';
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
    .description('snippets: check, explain, prefixes, put, get, delete');
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
    .action((options: SnippetFileOptions & { check?: boolean }) => answer(snippetsPrefixes(options)));
  snippets
    .command('put <name> <key> <file>')
    .description('store the content of a file, or of the standard input (-)')
    .option('--type <format>', 'json (default), pb or raw')
    .option('--language <tag>', 'the language of the content')
    .action((name: string, key: string, file: string, options: SnippetPutOptions) =>
      answer(snippetsPut(name, key, file, options)),
    );
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
