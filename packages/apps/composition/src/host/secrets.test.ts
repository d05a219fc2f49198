import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { openDataDir } from './data-dir.ts';
import { secretsOf } from './secrets.ts';

const freshDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'doska-secrets-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return dir;
};
const configOn = (dataDir: string, more: Record<string, string> = {}) =>
  loadConfig({ DOSKA_DATA_DIR: dataDir, ...more }, [])._unsafeUnwrap().config;

test('[X13] secrets are made once and stay', () => {
  const dataDir = join(freshDir(), 'new');
  const first = secretsOf(configOn(dataDir))._unsafeUnwrap();
  expect(secretsOf(configOn(dataDir))._unsafeUnwrap()).toEqual(first);
});
test.each([
  ['', 'it is not JSON'],
  ['{"tokenKey":"', 'it is not JSON'],
  ['[]', 'everything is missing or shorter than 32 characters'],
  [
    JSON.stringify({ tokenKey: 'x'.repeat(32), signingSecret: 'x'.repeat(31) }),
    'signingSecret is missing or shorter than 32 characters',
  ],
  [JSON.stringify({ signingSecret: 'x'.repeat(32) }), 'tokenKey is missing or shorter than 32 characters'],
])('[X13] a damaged secrets.json is refused and never replaced: %s', (text, why) => {
  const dataDir = freshDir();
  const path = join(dataDir, 'secrets.json');
  writeFileSync(path, text);
  const [what, wayOut] = secretsOf(configOn(dataDir))._unsafeUnwrapErr().lines;
  expect(what).toBe(`${path} can't be used: ${why}. Nothing was changed.`);
  expect(wayOut).toMatch(/^Restore it from a backup\. Or remove it/);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
test('[X13] a secrets.json that can not be read is refused', () => {
  const dataDir = freshDir();
  mkdirSync(join(dataDir, 'secrets.json'));
  expect(secretsOf(configOn(dataDir))._unsafeUnwrapErr().lines[0]).toContain("can't be used: EISDIR");
});
test('[X13] configured secrets need no file', () => {
  const dataDir = freshDir();
  writeFileSync(join(dataDir, 'secrets.json'), 'damaged');
  const key = 'k'.repeat(32);
  const config = configOn(dataDir, { DOSKA_TOKEN_KEY: key, DOSKA_SIGNING_SECRET: key });
  expect(secretsOf(config)._unsafeUnwrap()).toEqual({ tokenKey: key, signingSecret: key });
});

test('[X13] a data folder whose path is a file is refused with the way out', () => {
  const file = join(freshDir(), 'file');
  writeFileSync(file, '');
  expect(openDataDir(file)._unsafeUnwrapErr().lines).toEqual([
    `DOSKA_DATA_DIR: the folder ${file} can't be written: it is a file. Make it writable for this user, or set DOSKA_DATA_DIR to another folder.`,
  ]);
  expect(openDataDir(join(file, 'data'))._unsafeUnwrapErr().lines[0]).toContain(
    'a part of its path is a file',
  );
});
