import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { read } from '../testing/read-file.ts';

type Case = {
  readonly name: string;
  readonly verdict: 'valid' | 'invalid' | 'malformed';
  readonly xml: string;
};
const cases = readFileSync(new URL('../../schema/corpus/verdicts.jsonl', import.meta.url), 'utf8')
  .trim()
  .split('\n')
  .map((line) => JSON.parse(line) as Case);

/** What we say: a mistake in an offer is a problem of it and ends nothing; everything else ends the file. */
const ours = async (xml: string): Promise<Case['verdict']> => {
  const { offers, fatal } = await read(xml, { size: 100_000 });
  if (fatal) return fatal.code === 'xsd' ? 'invalid' : 'malformed';
  return offers.some(({ problems }) => problems.length > 0) ? 'invalid' : 'valid';
};

describe('our schema and xmllint', () => {
  test('[P4] [P11] the corpus has at least 200 files, good ones and bad ones', () => {
    expect(cases.length).toBeGreaterThanOrEqual(200);
    expect(new Set(cases.map(({ name }) => name)).size).toBe(cases.length);
    for (const verdict of ['valid', 'invalid', 'malformed'])
      expect(cases.filter((one) => one.verdict === verdict).length).toBeGreaterThan(10);
  });
  test.each(cases)('[P4] [P11] agree about $name', async ({ xml, verdict }) => {
    expect(await ours(xml)).toBe(verdict);
  });
});
