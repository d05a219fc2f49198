import { spawnSync } from 'node:child_process';
import { existsSync, readdirSync } from 'node:fs';
import { createRequire } from 'node:module';
import { delimiter, join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** Programs that baselines need and npm does not have; they are no dependency of the workspace. */
const PACKAGES = {
  pgbench: 'postgresql-contrib',
  h2load: 'nghttp2-client',
  wrk: 'wrk',
  xmllint: 'libxml2-utils',
} as const;
export type Tool = keyof typeof PACKAGES;

/** Debian keeps pgbench out of the path, in a folder of its major version. */
const debianFolders = (): readonly string[] => {
  const base = '/usr/lib/postgresql';
  if (!existsSync(base)) return [];
  return readdirSync(base)
    .sort((a, b) => Number(b) - Number(a))
    .map((major) => join(base, major, 'bin'));
};

const find = (tool: Tool): string | undefined =>
  [...(process.env['PATH'] ?? '').split(delimiter), ...debianFolders()]
    .map((dir) => join(dir, tool))
    .find((path) => existsSync(path));

let isUpdated = false;
const apt = (...args: readonly string[]): boolean =>
  spawnSync('apt-get', args, {
    stdio: ['ignore', 'ignore', 'inherit'],
    env: { ...process.env, DEBIAN_FRONTEND: 'noninteractive' },
  }).status === 0;

/** The path of a tool. As root on Debian it is installed when missing; otherwise the run stops with the package's name. */
export const toolPath = (tool: Tool): string => {
  const found = find(tool);
  if (found !== undefined) return found;
  const name = PACKAGES[tool];
  if (process.getuid?.() === 0 && existsSync('/usr/bin/apt-get')) {
    console.error(`installing ${name} for ${tool} …`);
    isUpdated ||= apt('update', '-q');
    apt('install', '-y', '-q', '--no-install-recommends', name);
  }
  const installed = find(tool);
  if (installed === undefined)
    throw new Error(`this benchmark needs ${tool}: install the Debian package ${name}`);
  return installed;
};

/** From `.cache/bench`, where the compiled benchmarks run, and from `bench` itself. */
const peersFolder = (): string => {
  const here = fileURLToPath(new URL('.', import.meta.url));
  return (
    [join(here, 'peers'), join(here, '../../bench/peers')].find((path) =>
      existsSync(join(path, 'package.json')),
    ) ?? join(here, 'peers')
  );
};

/** A peer to compare with, from `bench/peers/package.json` (its own lock file), installed when first asked for. */
export const requirePeer = (name: string): unknown => {
  const folder = peersFolder();
  if (!existsSync(join(folder, 'package.json')))
    throw new Error(`bench/peers/package.json does not exist, so there is no peer ${name}`);
  if (!existsSync(join(folder, 'node_modules', name))) {
    const { status } = spawnSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], {
      cwd: folder,
      stdio: 'inherit',
    });
    if (status !== 0) throw new Error(`npm ci in bench/peers failed, so there is no peer ${name}`);
  }
  return createRequire(join(folder, 'package.json'))(name);
};
