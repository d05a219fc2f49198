import 'reflect-metadata';
import { makeProgram } from './program.ts';

const stopped = new AbortController();
// --watch and --wait end by themselves then. Everything else ends at once, as usual.
const isRepeated = process.argv.some((word) => /^--(watch|wait)(=|$)/.test(word));
if (isRepeated)
  for (const signal of ['SIGINT', 'SIGTERM'] as const) process.once(signal, () => stopped.abort());

await makeProgram({
  signal: stopped.signal,
  clear: () => {
    if (process.stdout.isTTY) process.stdout.write('\u001b[H\u001b[2J\u001b[3J');
  },
  print: (result, isJson) => {
    if (result.isOk()) {
      const { value, text, exitCode = 0 } = result.value;
      process.stdout.write(`${isJson ? JSON.stringify(value) : text}\n`);
      process.exitCode = exitCode;
      return;
    }
    const { message, exitCode } = result.error;
    process.stderr.write(`${isJson ? JSON.stringify({ error: message, exitCode }) : `doska: ${message}`}\n`);
    process.exitCode = exitCode;
  },
}).parseAsync();
