import { mkdirSync, readFileSync, rmSync } from 'node:fs';
import { runNode } from './child.mjs';
import { inRoot } from './terminal.mjs';

/** What a report of vitest says; a file that could not even be loaded counts as one failure. */
const countsOf = (report) => {
  const unloaded = report.testResults.filter(
    ({ status, assertionResults }) =>
      status === 'failed' && !assertionResults.some((one) => one.status === 'failed'),
  );
  return {
    passed: report.numPassedTests,
    failed: report.numFailedTests + unloaded.length,
    skipped: report.numPendingTests + report.numTodoTests,
  };
};

/** Runs vitest and counts by its own report, not by its words. A run that failed as a whole has failed at least once. */
export const runTests = async (args, { show = true } = {}) => {
  const file = inRoot(`.cache/tests-${process.pid}.json`);
  mkdirSync(inRoot('.cache'), { recursive: true });
  const reporters = ['--reporter=default', '--reporter=json', `--outputFile.json=${file}`];
  const { code, output } = await runNode('node_modules/vitest/vitest.mjs', ['run', ...args, ...reporters], {
    show,
  });
  let counts = { passed: 0, failed: 0, skipped: 0 };
  try {
    counts = countsOf(JSON.parse(readFileSync(file, 'utf8')));
  } catch {
    // No report: vitest itself broke, and its exit code says so.
  }
  rmSync(file, { force: true });
  if (code !== 0 && counts.failed === 0) counts.failed = 1;
  return { ...counts, output };
};
