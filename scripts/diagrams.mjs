#!/usr/bin/env node
/** Writes the state diagrams, made from the tables in core, into docs/states. A test fails while they differ. */
import { writeFileSync } from 'node:fs';
import { command, inRoot } from './parts/terminal.mjs';
import { prepare } from './prepare.mjs';

await command('npm run diagrams: writes the state diagrams into docs/states.', async () => {
  await prepare();
  const { stateDocuments } = await import('./parts/state-diagrams.mjs');
  for (const [path, text] of Object.entries(stateDocuments())) writeFileSync(inRoot(path), text);
});
