#!/usr/bin/env node
/** Installs and builds what is missing or older than its sources; silent and quick when there is nothing to do. */
import { pathToFileURL } from 'node:url';
import { build, isBuilt } from './parts/build.mjs';
import { interruptible } from './parts/child.mjs';
import { install, isInstalled } from './parts/install.mjs';
import { withLock } from './parts/lock.mjs';
import { command, inRoot, say, Stop } from './parts/terminal.mjs';

export const prepare = async () => {
  if (isInstalled() && isBuilt()) return;
  const wait = (pid) => say(`Process ${pid} is installing or building; waiting for it …`);
  try {
    await interruptible(() =>
      withLock(inRoot('.cache/prepare.lock'), wait, async () => {
        if (!isInstalled()) await install();
        if (!isBuilt()) await build();
      }),
    );
  } catch (cause) {
    if (!['EACCES', 'EPERM', 'EROFS'].includes(cause.code)) throw cause;
    throw new Stop(
      `Something has to be installed or built, but ${cause.path} can't be written: run npm run build as its owner.`,
    );
  }
};

if (import.meta.url === pathToFileURL(process.argv[1]).href) {
  await command('npm run build: installs and builds what is missing or older than its sources.', prepare);
}
