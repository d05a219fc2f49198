import { spawn } from 'node:child_process';
import { inRoot, root, say, Stop } from './terminal.mjs';

/** npm sets these for its scripts; handed on to another npm they only make it warn. */
const cleanEnv = () =>
  Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^npm_(config|lifecycle|package)_/i.test(name)),
  );

/** The exit codes by which shells tell of a signal. */
const SIGNALS = { SIGINT: 130, SIGTERM: 143 };
/** Ctrl-C in a terminal reaches the child by itself. A child that only we can tell is told after this time. */
const OWN_SIGNAL_MS = 1_000;
const running = new Set();

/**
 * During `work` a signal ends the command with one word and the code of the signal. While a child runs, the child ends
 * first (see `run`).
 */
export const interruptible = async (work) => {
  const stop = (signal) => {
    if (running.size > 0) return;
    say('Interrupted.');
    process.exit(SIGNALS[signal]);
  };
  for (const signal of Object.keys(SIGNALS)) process.on(signal, stop);
  try {
    return await work();
  } finally {
    for (const signal of Object.keys(SIGNALS)) process.off(signal, stop);
  }
};

/** Runs to the end and keeps what it said. `show` lets it talk to the terminal itself. A signal throws `Stop`. */
export const run = (program, args, { show = false, env = {} } = {}) =>
  new Promise((resolve, reject) => {
    const stdio = show ? 'inherit' : ['ignore', 'pipe', 'pipe'];
    const child = spawn(program, args, { cwd: root, stdio, env: { ...cleanEnv(), ...env } });
    running.add(child);
    let output = '';
    let got;
    let late;
    child.stdout?.on('data', (chunk) => (output += chunk));
    child.stderr?.on('data', (chunk) => (output += chunk));
    const pass = (signal) => {
      got ??= signal;
      if (signal === 'SIGTERM') child.kill(signal);
      else late ??= setTimeout(() => child.kill(signal), OWN_SIGNAL_MS);
    };
    for (const signal of Object.keys(SIGNALS)) process.on(signal, pass);
    child.on('error', (cause) => (output += String(cause)));
    child.on('close', (code) => {
      for (const signal of Object.keys(SIGNALS)) process.off(signal, pass);
      clearTimeout(late);
      running.delete(child);
      if (got === undefined) resolve({ code: code ?? 1, output });
      else reject(new Stop('Interrupted.', SIGNALS[got]));
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
