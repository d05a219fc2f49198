import { existsSync } from 'node:fs';
import { pathToFileURL } from 'node:url';
import { prepare } from '../prepare.mjs';
import { inRoot, Stop } from './terminal.mjs';

/** Runs a compiled program in this very process: signals and the exit code are its own. */
export const launch = async (file, args) => {
  await prepare();
  if (!existsSync(inRoot(file)))
    throw new Stop(`${file} does not exist: this version has nothing to start there.`);
  process.argv = [process.argv[0], inRoot(file), ...args];
  await import(pathToFileURL(inRoot(file)).href);
};
