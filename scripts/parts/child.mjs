import { spawn } from 'node:child_process';
import { inRoot, root } from './terminal.mjs';

/** npm sets these for its scripts; handed on to another npm they only make it warn. */
const cleanEnv = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(config|lifecycle|package)_/i.test(name)),
  );

/** Ctrl-C is the child's to handle; we stay to report how it ended. */
const ignore = () => {};

/** Runs to the end and keeps what it said. `show` lets it talk to the terminal itself. */
export const run = (program, args, { show = false, env = {} } = {}) =>
  new Promise((resolve) => {
    const stdio = show ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { cwd: root, stdio, env: { ...cleanEnv(), ...env } });
    let output = '';
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    // Ctrl-C reaches the child by itself; what only we are sent is handed on.
    const pass = (signal) => child.kill(signal);
    process.on('SIGTERM', pass);
    process.on('SIGINT', ignore);
    child.on('error', (cause) => (output += String(cause)));
    child.on('close', (code) => {
      process.off('SIGTERM', pass);
      process.off('SIGINT', ignore);
      resolve({ code: code ?? 1, output });
    });
  });

/** A program of node_modules, by its file: no shell, no npx, no shims. */
export const runNode = (file, args, options) => run(process.execPath, [inRoot(file), ...args], options);

/** The npm that started us, or the one on the path. */
export const runNpm = (args, options) => {
  const cli = process.env.npm_execpath;
  return cli?.endsWith('npm-cli.js')
    ? run(process.execPath, [cli, ...args], options)
    : run('npm', args, options);
};
