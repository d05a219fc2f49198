#!/usr/bin/env node
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, relative, resolve, sep } from 'node:path';
import { command, root, Stop } from './parts/terminal.mjs';

const HELP = `
npm run requirements                   every requirement with its sentence and the tests that show it
npm run requirements -- --json         the same as one JSON object
npm run requirements -- --check B1 B2  fails when one of these has no test
npm run requirements -- --root DIR     reads another folder
The sentences are in docs/requirements.md. The tests name the ids in their titles: '[B3] [B4] …'.
A title with an id that docs/requirements.md does not have is an error.`;

const DOCUMENT = 'docs/requirements.md';
const SKIPPED = ['node_modules', 'dist', 'generated'];

const walk = (dir) =>
  !existsSync(dir)
    ? []
    : readdirSync(dir, { withFileTypes: true }).flatMap((entry) => {
        const path = join(dir, entry.name);
        if (entry.isDirectory()) return SKIPPED.includes(entry.name) ? [] : walk(path);
        return /\.(test|contract|cases)\.ts$/.test(entry.name) ? [path] : [];
      });

/** A row of the document: `| G5 | One sentence. | links |`, below the heading of its section. */
const ROW = /^\| ([A-Z]{1,3}\d+[a-z]?) \| (.+?) \|/;

const readRequirements = (from) => {
  const path = join(from, DOCUMENT);
  if (!existsSync(path)) throw new Stop(`${path} does not exist.`);
  const requirements = new Map();
  let section = '';
  for (const line of readFileSync(path, 'utf8').split('\n')) {
    if (line.startsWith('## ')) section = line.slice(3);
    const [, id, sentence] = ROW.exec(line) ?? [];
    if (id === undefined) continue;
    if (requirements.has(id)) throw new Stop(`${DOCUMENT} has the id ${id} twice.`);
    requirements.set(id, { section, sentence, tests: [] });
  }
  return requirements;
};

/** A title is a string that begins with ids in brackets and goes on. It may be an argument or a property. */
const TITLE = /(['"`])((?:\[[A-Z]{1,3}\d+[a-z]?\]\s+)+(?:\\.|(?!\1)[^\\])+)\1/g;

const readTests = (from) =>
  ['packages', 'tests', 'bench'].flatMap((folder) =>
    walk(join(from, folder)).flatMap((path) =>
      [...readFileSync(path, 'utf8').matchAll(TITLE)].map(([, , title]) => ({
        file: relative(from, path).split(sep).join('/'),
        title,
        ids: [...title.match(/^(?:\[[^\]]+\]\s*)+/)[0].matchAll(/\[([^\]]+)\]/g)].map(([, id]) => id),
      })),
    ),
  );

const assignTests = (requirements, tests) => {
  const unknown = [];
  for (const { file, title, ids } of tests)
    for (const id of ids) {
      const requirement = requirements.get(id);
      if (requirement) requirement.tests.push({ file, title });
      else unknown.push(`  ${id}: ${title}  (${file})`);
    }
  if (unknown.length > 0)
    throw new Stop(`These tests name an id that ${DOCUMENT} does not have:\n${unknown.join('\n')}`);
};

const print = (requirements) => {
  let current = '';
  for (const [id, { section, sentence, tests }] of requirements) {
    if (section !== current) console.log(`${current === '' ? '' : '\n'}${section}`);
    current = section;
    console.log(`${id}  ${sentence}`);
    for (const { file, title } of tests) console.log(`  ${title}  (${file})`);
  }
  const bare = [...requirements].filter(([, { tests }]) => tests.length === 0).map(([id]) => id);
  if (bare.length > 0) console.log(`\nNot yet shown by a test: ${bare.join(', ')}`);
};

await command(HELP, (args) => {
  const from = args.includes('--root') ? resolve(args[args.indexOf('--root') + 1] ?? '.') : root;
  const requirements = readRequirements(from);
  assignTests(requirements, readTests(from));
  if (args.includes('--json')) return void console.log(JSON.stringify(Object.fromEntries(requirements)));
  if (args.includes('--check')) {
    const asked = args.slice(args.indexOf('--check') + 1);
    const bare = asked.filter((id) => (requirements.get(id)?.tests.length ?? 0) === 0);
    if (bare.length > 0) throw new Stop(`No test shows: ${bare.join(', ')}`);
    return undefined;
  }
  return void print(requirements);
});
