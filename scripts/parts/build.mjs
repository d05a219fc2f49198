import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { runNode } from './child.mjs';
import { inRoot, say, seconds, Stop } from './terminal.mjs';

const STAMP = inRoot('.cache/build.json');
const SKIPPED = new Set(['node_modules', 'dist', 'generated', '.cache']);

const walk = (dir, found = []) => {
  for (const entry of existsSync(dir) ? readdirSync(dir, { withFileTypes: true }) : []) {
    const path = join(dir, entry.name);
    if (entry.isDirectory()) {
      if (!SKIPPED.has(entry.name)) walk(path, found);
    } else found.push(path);
  }
  return found;
};

/** Projects with something to compile, in the order of tsconfig.json. */
const projects = () =>
  JSON.parse(readFileSync(inRoot('tsconfig.json'), 'utf8'))
    .references.map(({ path }) => path)
    .filter((path) => walk(inRoot(path, 'src')).some((file) => file.endsWith('.ts')));

/** Tests are not compiled, so changing one rebuilds nothing. */
const isSource = (file) => /\.(ts|json|proto)$|buf\S*\.yaml$/.test(file) && !file.endsWith('.test.ts');

const sources = () => [
  ...[
    'package-lock.json',
    'tsconfig.json',
    'tsconfig.base.json',
    'scripts/generate.mjs',
    'scripts/describe.mjs',
    'buf.yaml',
    'buf.gen.yaml',
  ].map((name) => inRoot(name)),
  ...walk(inRoot('proto')).filter(isSource),
  ...walk(inRoot('packages')).filter(isSource),
];

/** Path, time and size of every source: cheaper than reading them, and what an editor or git changes. */
const fingerprint = () => {
  const hash = createHash('sha256');
  for (const file of sources()) {
    const stat = statSync(file, { throwIfNoEntry: false });
    if (stat !== undefined) hash.update(`${file}\0${stat.mtimeMs}\0${stat.size}\n`);
  }
  return hash.digest('hex');
};

const generatedFolders = () =>
  readdirSync(inRoot('packages'))
    .map((name) => inRoot('packages', name, 'src/generated'))
    .filter((path) => existsSync(path));

/** What a build leaves behind; when one of these is gone, it has to be made again. */
const outputs = () => [...projects().map((path) => inRoot(path, 'dist/.tsbuildinfo')), ...generatedFolders()];

export const isBuilt = () => {
  if (!existsSync(STAMP)) return false;
  const { sources: built, outputs: left } = JSON.parse(readFileSync(STAMP, 'utf8'));
  return built === fingerprint() && left.every((path) => existsSync(path));
};

const step = async (what, file, args) => {
  const { code, output } = await runNode(file, args);
  if (code !== 0) throw new Stop(`${output.trim()}\n${what} failed.`);
};

export const build = async () => {
  const began = Date.now();
  say('Building …');
  if (existsSync(inRoot('scripts/generate.mjs'))) await step('Generating code', 'scripts/generate.mjs', []);
  // Before the compiler reads them: what is saved while it runs is built the next time.
  const before = fingerprint();
  const what = projects();
  // --force where an output is gone: tsc trusts its notes, not the disk.
  const lost = what.some(
    (path) =>
      existsSync(inRoot(path, 'dist/.tsbuildinfo')) &&
      !existsSync(inRoot(path, 'dist/index.js')) &&
      existsSync(inRoot(path, 'src/index.ts')),
  );
  await step('Compiling', 'node_modules/typescript/bin/tsc', ['-b', ...(lost ? ['--force'] : []), ...what]);
  if (existsSync(inRoot('scripts/describe.mjs'))) await step('Checking routes', 'scripts/describe.mjs', []);
  mkdirSync(inRoot('.cache'), { recursive: true });
  writeFileSync(STAMP, JSON.stringify({ sources: before, outputs: outputs() }));
  say(`Built in ${seconds(began)}.`);
};
