/** What our commands say to people. Results go to stdout, progress to stderr, so that output can be piped. */
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder, wherever the command was called from. */
export const root = fileURLToPath(new URL('../..', import.meta.url));
export const inRoot = (...parts) => join(root, ...parts);

export const say = (line) => process.stderr.write(`${line}\n`);

export const seconds = (sinceMs) => `${((Date.now() - sinceMs) / 1000).toFixed(1)} s`;

/** An expected failure: a message and an exit code, never a stack trace. */
export class Stop extends Error {
  constructor(message, code = 1) {
    super(message);
    this.code = code;
  }
}

const requireNode = () => {
  const [major, minor] = process.versions.node.split('.').map(Number);
  if (major > 20 || (major === 20 && minor >= 19)) return;
  throw new Stop(`Doska needs Node 20.19 or newer; this is ${process.versions.node}.`);
};

/** Runs a command's main function; `help` answers `--help` and `-h` (null: the program behind it answers). */
export const command = async (help, main) => {
  try {
    requireNode();
    const args = process.argv.slice(2);
    if (help !== null && args.some((arg) => arg === '--help' || arg === '-h')) {
      process.stdout.write(`${help.trim()}\n`);
      return;
    }
    process.exitCode = (await main(args)) ?? process.exitCode;
  } catch (cause) {
    if (!(cause instanceof Stop)) throw cause;
    say(cause.message);
    process.exitCode = cause.code;
  }
};

/** The line that every checking command ends with, and what `.ci/run` adds up. */
export const tally = ({ passed, failed, skipped = 0 }) =>
  `${passed} passed, ${failed} failed${skipped > 0 ? `, ${skipped} skipped` : ''}`;
