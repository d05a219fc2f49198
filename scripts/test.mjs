#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { resolve } from 'node:path';
import { command, inRoot, say, tally } from './parts/terminal.mjs';
import { runTests } from './parts/tests.mjs';
import { prepare } from './prepare.mjs';

const HELP = `
npm test                     every test: unit, contracts on a private PostgreSQL, apps
npm test -- PATH …           the tests in these files or folders
npm test -- -t '\\[B13\\]'     the tests whose title matches; other options are vitest's
The last line is "N passed, N failed".`;

/** Options that are followed by a value of their own. */
const VALUED = new Set([
  '-t',
  '--testNamePattern',
  '--project',
  '--shard',
  '--reporter',
  '--maxWorkers',
  '--seed',
]);
const pathsOf = (args) => args.filter((arg, at) => !arg.startsWith('-') && !VALUED.has(args[at - 1] ?? ''));

await command(HELP, async (args) => {
  const unknown = pathsOf(args).filter((path) => !existsSync(inRoot(path)) && !existsSync(resolve(path)));
  if (unknown.length > 0) {
    say(`No such file or folder: ${unknown.join(', ')}`);
    console.log(tally({ passed: 0, failed: unknown.length }));
    return 1;
  }
  await prepare();
  const counts = await runTests(args);
  console.log(tally(counts));
  return counts.failed > 0 ? 1 : 0;
});
