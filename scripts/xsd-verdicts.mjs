// Records anew what `xmllint --schema` says of every file of the corpus. Tests read the recorded verdicts and need only Node.
//   node scripts/xsd-verdicts.mjs          (xmllint is in the package libxml2-utils)
import { spawnSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const schema = fileURLToPath(new URL('../packages/adapters-formats/schema/feed.xsd', import.meta.url));
const corpus = new URL('../packages/adapters-formats/schema/corpus/verdicts.jsonl', import.meta.url);
const VALID = 0;
const NOT_PARSED = 1;
const NOT_VALID = [3, 4];

const verdictOf = (xml) => {
  const { status, error, stderr } = spawnSync('xmllint', ['--noout', '--nonet', '--schema', schema, '-'], {
    input: xml,
    encoding: 'utf8',
  });
  if (error) throw new Error('xmllint could not be started: install libxml2-utils', { cause: error });
  if (status === VALID) return 'valid';
  if (status === NOT_PARSED) return 'malformed';
  if (NOT_VALID.includes(status)) return 'invalid';
  throw new Error(`xmllint ended with ${status}: ${stderr}`);
};
const lines = readFileSync(corpus, 'utf8').trim().split('\n');
const recorded = lines.map((line) => {
  const { name, xml } = JSON.parse(line);
  return JSON.stringify({ name, verdict: verdictOf(xml), xml });
});
writeFileSync(corpus, `${recorded.join('\n')}\n`);
console.log(`${recorded.length} verdicts were recorded`);
