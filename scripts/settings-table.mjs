#!/usr/bin/env node
/** Writes the table of settings, made from the schema, into the README. A test fails while the two differ. */
import { readFileSync, writeFileSync } from 'node:fs';
import { command, inRoot } from './parts/terminal.mjs';
import { prepare } from './prepare.mjs';

await command('npm run settings: writes the table of settings into README.md.', async () => {
  await prepare();
  const { settingsTable } = await import('../packages/apps/composition/dist/index.js');
  const readme = readFileSync(inRoot('README.md'), 'utf8');
  const marked = /<!-- settings -->[^]*<!-- \/settings -->/;
  writeFileSync(
    inRoot('README.md'),
    readme.replace(marked, () => `<!-- settings -->\n${settingsTable()}\n<!-- /settings -->`),
  );
});
