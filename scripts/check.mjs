#!/usr/bin/env node
import { existsSync } from 'node:fs';
import { runNode } from './parts/child.mjs';
import { command, inRoot, seconds, tally } from './parts/terminal.mjs';
import { runTests } from './parts/tests.mjs';
import { prepare } from './prepare.mjs';

const HELP = `
npm run check                types, formatting, lint, import cycles and unit tests
npm run check -- --static    the same without the unit tests
The last line is "N passed, N failed" over the steps and the unit tests.`;

const CRUISER = '.dependency-cruiser.mjs';
const tool =
  (file, ...args) =>
  async () => {
    const { code, output } = await runNode(`node_modules/${file}`, args);
    return { passed: code === 0 ? 1 : 0, failed: code === 0 ? 0 : 1, output };
  };

/** The slow ones first: two run at a time. */
const steps = (isStatic) => [
  { name: 'lint', work: tool('eslint/bin/eslint.js', '.') },
  ...(isStatic ? [] : [{ name: 'unit tests', work: () => runTests(['--project', 'unit'], { show: false }) }]),
  { name: 'types', work: tool('typescript/bin/tsc', '-p', 'tsconfig.check.json') },
  { name: 'formatting', work: tool('prettier/bin/prettier.cjs', '--check', '--log-level=warn', '.') },
  ...(existsSync(inRoot(CRUISER))
    ? [
        {
          name: 'import cycles',
          work: tool('dependency-cruiser/bin/dependency-cruise.mjs', '--config', CRUISER, 'packages'),
        },
      ]
    : []),
];

await command(HELP, async (args) => {
  await prepare();
  const waiting = steps(args.includes('--static'));
  const total = { passed: 0, failed: 0, skipped: 0 };
  const worker = async () => {
    for (let step = waiting.shift(); step !== undefined; step = waiting.shift()) {
      const began = Date.now();
      const { passed, failed, skipped = 0, output } = await step.work();
      total.passed += passed;
      total.failed += failed;
      total.skipped += skipped;
      console.log(`${failed > 0 ? 'FAILED' : 'ok    '}  ${step.name}  (${seconds(began)})`);
      if (failed > 0) console.log(output.trim());
    }
  };
  await Promise.all([worker(), worker()]);
  console.log(tally(total));
  return total.failed > 0 ? 1 : 0;
});
