import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { prepare } from '../prepare.mjs';
import { inRoot, Stop } from './terminal.mjs';

const LOOK_MS = 500;

/** npm may end without handing a signal on, for example by kill -9. The program then stops as if it got the signal. */
const stopWithNpm = () => {
  if (process.env.npm_lifecycle_event === undefined) return;
  const npm = process.ppid;
  const look = setInterval(() => {
    if (process.ppid === npm) return;
    clearInterval(look);
    process.kill(process.pid, 'SIGTERM');
  }, LOOK_MS);
  look.unref();
};

/** Runs a compiled program in this very process: signals and the exit code are its own. */
export const launch = async (file, args) => {
  await prepare();
  if (!existsSync(inRoot(file)))
    throw new Stop(`${file} does not exist: this version has nothing to start there.`);
  stopWithNpm();
  process.argv = [process.argv[0], inRoot(file), ...args];
  await import(pathToFileURL(inRoot(file)).href);
};
