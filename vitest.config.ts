import { defineConfig } from 'vitest/config';

/** Tests read the sources of every package; strangers get `dist`. */
// Nothing else is in the list: vitest hands it on to Node, where `import` breaks pg and Express, and `module` OpenTelemetry.
const resolve = { conditions: ['@doska/source', 'node'] };
const ssr = { resolve: { conditions: resolve.conditions, externalConditions: ['@doska/source', 'node'] } };
// The global setup is loaded in an environment of vitest's own, which inherits neither.
const environments = { __vitest__: ssr };
const shared = { resolve, ssr, environments };
const slow = ['**/*.int.test.ts', '**/*.e2e.test.ts'];
const ignored = ['**/node_modules/**', '**/dist/**', '**/.cache/**'];

export default defineConfig({
  test: {
    projects: [
      {
        ...shared,
        test: {
          name: 'unit',
          include: ['packages/**/*.test.ts', 'tests/**/*.test.ts', 'bench/**/*.test.ts'],
          exclude: [...ignored, ...slow],
          testTimeout: 20_000,
        },
      },
      {
        ...shared,
        test: {
          name: 'int',
          include: [
            'packages/**/*.int.test.ts',
            'tests/**/*.int.test.ts',
            'packages/**/*.e2e.test.ts',
            'tests/**/*.e2e.test.ts',
          ],
          exclude: ignored,
          globalSetup: ['./tests/setup/kafka.ts', './tests/setup/postgres.ts'],
          testTimeout: 60_000,
          hookTimeout: 120_000,
          maxWorkers: 3,
          sequence: { groupOrder: 1 }, // after the unit tests; vitest wants it because maxWorkers differs
        },
      },
    ],
  },
});
