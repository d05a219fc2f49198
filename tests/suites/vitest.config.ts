import { defineConfig } from 'vitest/config';

/** Suites on broken adapters: red on purpose, run only by `suites-bite.int.test.ts`. */
const conditions = ['@doska/source', 'node', 'module'];
export default defineConfig({
  resolve: { conditions },
  ssr: { resolve: { conditions, externalConditions: ['@doska/source', 'node'] } },
  test: {
    include: ['tests/suites/*.fixture.ts'],
    // A promise that is never kept shows as a wait; the right adapter needs far less.
    testTimeout: 3_000,
    maxWorkers: 5,
    hookTimeout: 4_000,
    dangerouslyIgnoreUnhandledErrors: true,
  },
});
