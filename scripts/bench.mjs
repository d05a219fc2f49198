#!/usr/bin/env node
import { readdirSync } from 'node:fs';
import { runNode } from './parts/child.mjs';
import { command, inRoot, Stop } from './parts/terminal.mjs';
import { prepare } from './prepare.mjs';

const names = () =>
  readdirSync(inRoot('bench'))
    .filter((name) => name.endsWith('.bench.ts'))
    .map((name) => name.slice(0, -'.bench.ts'.length))
    .sort();

const HELP = `
npm run bench -- NAME [--json] [--rounds N]
  --json      the last line is {"bench":NAME,"ratios":{…},"figures":{…}}
  --rounds N  interleaved rounds of all variants (5 unless told)
  --docs N    documents of engine and indexing (200000 unless told), of receiver (1000000)
  --wide      of engine: many fields against the few that documents use
  --offers N  offers of gost's large stock (1000000 unless told), or of the feed of feeds (10000)
  --gb N      of feeds: only the memory of the processor for a feed of so many GB
  --keys N    snippets of the large section (1000000 unless told)
  --only A,B  of gost: variants whose names begin so
Names: ${names().join(', ') || '(none yet)'}`;

await command(HELP, async ([name, ...args]) => {
  if (name === undefined || !names().includes(name)) throw new Stop(HELP.trim(), 2);
  await prepare();
  const { code, output } = await runNode('node_modules/typescript/bin/tsc', ['-b', 'bench']);
  if (code !== 0) throw new Stop(`${output.trim()}\nThe benchmarks don't compile.`);
  return (await runNode(`.cache/bench/${name}.bench.js`, args, { show: true })).code;
});
