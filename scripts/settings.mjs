#!/usr/bin/env node
/** Writes the tables of settings, made from the schema, into the documents. A test fails while they differ. */
import { readFileSync, writeFileSync } from 'node:fs';
import { command, inRoot } from './parts/terminal.mjs';
import { prepare } from './prepare.mjs';

const HELP = 'npm run settings: writes the tables of settings into README.md and docs/configuration.md.';
const MARKED = /<!-- settings -->[^]*<!-- \/settings -->/;

const write = (path, tables) => {
  const text = readFileSync(inRoot(path), 'utf8');
  writeFileSync(
    inRoot(path),
    text.replace(MARKED, () => `<!-- settings -->\n${tables}\n<!-- /settings -->`),
  );
};

await command(HELP, async () => {
  await prepare();
  const { readmeTable, settingsTables } = await import('../packages/apps/composition/dist/index.js');
  const { contexts } = await import('../packages/apps/wiring/dist/index.js');
  write('README.md', readmeTable(contexts));
  write('docs/configuration.md', settingsTables(contexts));
});
