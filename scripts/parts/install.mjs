import { createHash } from 'node:crypto';
import { readFileSync, statSync, writeFileSync } from 'node:fs';
import { runNpm } from './child.mjs';
import { inRoot, say, seconds, Stop } from './terminal.mjs';

const STAMP = inRoot('node_modules/.doska-install.json');
const LOCK = inRoot('package-lock.json');

/** What an installation depends on: native packages differ by platform and by Node's major version. */
const wanted = () => {
  const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
  return JSON.stringify({
    lock,
    node: process.versions.node.split('.')[0],
    platform: `${process.platform}-${process.arch}`,
  });
};

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** A finished `npm ci` by hand counts as well: npm writes its own note last. */
const isByHand = () => {
  const note = statSync(inRoot('node_modules/.package-lock.json'), { throwIfNoEntry: false });
  return read(STAMP) === '' && note !== undefined && note.mtimeMs >= statSync(LOCK).mtimeMs;
};

const stamp = () => {
  try {
    writeFileSync(STAMP, wanted());
  } catch {
    // Another user's installation that we may only read: it is current, and that is enough.
  }
};

export const isInstalled = () => read(STAMP) === wanted();

export const install = async () => {
  if (isByHand()) return stamp();
  const began = Date.now();
  say('Installing packages (npm ci) …');
  const { code, output } = await runNpm([
    'ci',
    '--prefer-offline',
    '--no-audit',
    '--no-fund',
    '--loglevel=error',
  ]);
  if (code !== 0)
    throw new Stop(`${output.trim()}\nnpm ci failed: the packages above could not be installed.`);
  stamp();
  say(`Installed in ${seconds(began)}.`);
};
