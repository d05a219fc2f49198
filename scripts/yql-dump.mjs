#!/usr/bin/env node
/** Writes every text of YQL that the YDB adapter sends, and every table, as files: for a check against YDB's grammar. */
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { command } from './parts/terminal.mjs';
import { prepare } from './prepare.mjs';

const HELP = `
npm run yql:dump -- DIR      writes every query and table of the YDB adapter to DIR as *.yql`;

await command(HELP, async () => {
  const [dir] = process.argv.slice(2);
  if (dir === undefined) {
    console.log(HELP.trim());
    return 2;
  }
  await prepare();
  const { yqlTexts } = await import('../packages/adapters-ydb/dist/index.js');
  mkdirSync(resolve(dir), { recursive: true });
  const texts = yqlTexts();
  for (const { name, text } of texts) writeFileSync(join(resolve(dir), `${name}.yql`), `${text}\n`);
  console.log(`${texts.length} texts in ${dir}`);
  return 0;
});
