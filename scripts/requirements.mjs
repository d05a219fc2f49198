#!/usr/bin/env node
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { command, inRoot, Stop } from './parts/terminal.mjs';

const HELP = `
npm run requirements                   every requirement and the tests that show it
npm run requirements -- --json         the same as one JSON object
npm run requirements -- --check B1 B2  fails when one of these has no test
Read from the titles in the tests' sources: '[B3] [B4] …'.`;

const walk = (dir) =>
  !existsSync(dir)
    ? []
    : readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
        const path = join(dir, entry.name);
        if (entry.isDirectory())
          return ['node_modules', 'dist', 'generated'].includes(entry.name) ? [] : walk(path);
        return /\.(test|contract)\.ts$/.test(entry.name) ? [path] : [];
      });

/** A title is a string that begins with ids in brackets and goes on; where the test framework gets it from does not matter. */
const TITLE = /(['"`])((?:\[[A-Z]{1,3}\d+[a-z]?\]\s+)+(?:\\.|(?!\1)[^\\])+)\1/g;

const requirements = () => {
  const found = new Map();
  for (const file of ['packages', 'tests', 'bench'].flatMap((name) => walk(inRoot(name)))) {
    for (const [, , title] of readFileSync(file, 'utf8').matchAll(TITLE)) {
      for (const [, id] of title.match(/^(?:\[[^\]]+\]\s*)+/)[0].matchAll(/\[([^\]]+)\]/g)) {
        const tests = found.get(id) ?? [];
        found.set(id, [...tests, { file: file.slice(inRoot().length).replace(/^\//, ''), title }]);
      }
    }
  }
  const order = ([a], [b]) => a.localeCompare(b, 'en', { numeric: true });
  return new Map([...found].sort(order));
};

await command(HELP, (args) => {
  const found = requirements();
  if (args.includes('--json')) return void console.log(JSON.stringify(Object.fromEntries(found)));
  if (args.includes('--check')) {
    const bare = args.slice(args.indexOf('--check') + 1).filter((id) => !found.has(id));
    if (bare.length > 0) throw new Stop(`No test shows: ${bare.join(', ')}`);
    return undefined;
  }
  for (const [id, tests] of found) {
    console.log(id);
    for (const { file, title } of tests) console.log(`  ${title}  (${file})`);
  }
  return undefined;
});
