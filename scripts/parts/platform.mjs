import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { root } from './terminal.mjs';

export const until = async (ms, look) => {
  for (const end = Date.now() + ms; Date.now() < end; await pause(50)) {
    const found = await look();
    if (found) return found;
  }
  return undefined;
};

const runFile = (dataDir) => {
  try {
    return JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8'));
  } catch {
    return undefined; // not there yet, or being written
  }
};

const status = async (url) => {
  try {
    return (await fetch(url, { signal: AbortSignal.timeout(2_000) })).status;
  } catch {
    return 0;
  }
};

/** `npm start` on a folder of its own, exactly as a person runs it. */
export const startPlatform = async (dataDir, env) => {
  const began = Date.now();
  const before = runFile(dataDir)?.pid;
  const child = spawn('npm', ['start', '--silent'], {
    cwd: root,
    env: { ...process.env, DOSKA_DATA_DIR: dataDir, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true, // a group of its own, which can be ended as a whole when something hangs
  });
  let output = '';
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (output += chunk));
  let exit;
  child.on('exit', (code, signal) => (exit = code ?? signal));
  const ready = await until(120_000, async () => {
    const run = runFile(dataDir);
    if (exit !== undefined) return { run: undefined };
    return (
      run !== undefined && run.pid !== before && (await status(`${run.httpUrl}/readyz`)) === 200 && { run }
    );
  });
  return {
    run: ready?.run,
    readyMs: Date.now() - began,
    output: () => output,
    ask: (path) => status(`${ready?.run?.httpUrl}${path}`),
    ended: (ms) => until(ms, () => exit !== undefined && { exit }),
    giveUp: () => {
      try {
        process.kill(-child.pid, 'SIGKILL');
      } catch {
        // It has ended by itself, which is what we wanted.
      }
    },
  };
};

/** Processes that carry the folder in their command line: servers and their guardians. */
export const processesOn = (folder) =>
  (existsSync('/proc') ? readdirSync('/proc') : [])
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        return readFileSync(`/proc/${pid}/cmdline`, 'utf8').includes(folder);
      } catch {
        return false;
      }
    });
