import { spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { identify } from '@doska/adapters-pg/embedded';
import { expect, onTestFinished, test } from 'vitest';
import { claimFile, releaseFile, thisProcess } from './owned-file.ts';

const fileIn = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'doska-owned-'));
  onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
  return join(dir, 'file.json');
};
const other = async () => {
  const child = spawn('sleep', ['60'], { stdio: 'ignore' });
  await new Promise((resolve) => child.once('spawn', resolve));
  onTestFinished(() => void child.kill('SIGKILL'));
  const { pid, started } = identify(child.pid!)!;
  return { pid, processStarted: started };
};

test('[X11] the file of another live process is neither replaced nor removed', async () => {
  const path = fileIn();
  const owner = await other();
  const text = JSON.stringify(owner);
  writeFileSync(path, text);
  expect(claimFile(path, { a: 1 })).toEqual(owner);
  releaseFile(path);
  expect(readFileSync(path, 'utf8')).toBe(text);
});
test('[X11] the file of a process with the same pid that started at another time is taken over', async () => {
  const path = fileIn();
  writeFileSync(path, JSON.stringify({ ...(await other()), processStarted: 'long ago' }));
  expect(claimFile(path, { a: 1 })).toBeUndefined();
  expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual({ a: 1, ...thisProcess() });
});
test.each(['', '{', '{"pid":"x"}', `{"pid":999999999,"processStarted":"1"}`])(
  '[X11] a file that names no live process is taken over: %s',
  (text) => {
    const path = fileIn();
    writeFileSync(path, text);
    expect(claimFile(path, {})).toBeUndefined();
    expect(JSON.parse(readFileSync(path, 'utf8'))).toEqual(thisProcess());
  },
);
test('[X11] the owner may replace its file and removes it; only its user can read it', () => {
  const path = fileIn();
  expect(claimFile(path, { a: 1 })).toBeUndefined();
  expect(claimFile(path, { a: 2 })).toBeUndefined();
  expect(JSON.parse(readFileSync(path, 'utf8'))).toMatchObject({ a: 2 });
  expect(statSync(path).mode & 0o777).toBe(0o600);
  releaseFile(path);
  expect(existsSync(path)).toBe(false);
});
