import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const isAlive = (pid) => {
  try {
    process.kill(pid, 0);
    return true;
  } catch (cause) {
    return cause.code === 'EPERM';
  }
};

const tryTake = (file) => {
  try {
    writeFileSync(file, String(process.pid), { flag: 'wx' });
    return true;
  } catch (cause) {
    if (cause.code !== 'EEXIST') throw cause;
    return false;
  }
};

const holder = (file) => {
  try {
    return Number(readFileSync(file, 'utf8'));
  } catch {
    return 0;
  }
};

/** One command at a time; the lock of a command that was killed is taken over. */
export const withLock = async (file, onWait, work) => {
  mkdirSync(dirname(file), { recursive: true });
  let told = false;
  while (!tryTake(file)) {
    const pid = holder(file);
    // An empty file is being written this very moment, unless its writer died there: so look twice.
    if (pid === 0) await pause(200);
    const still = holder(file);
    if (still === pid && !(pid > 0 && isAlive(pid))) rmSync(file, { force: true });
    else {
      if (!told) onWait(pid);
      told = true;
      await pause(100);
    }
  }
  try {
    return await work();
  } finally {
    if (holder(file) === process.pid) rmSync(file, { force: true });
  }
};
