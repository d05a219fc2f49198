#!/usr/bin/env node
// `npm run test:long -- PATH …`: the same tests, and those that have a long form run it.
process.env.DOSKA_TEST_LONG = '1';
await import('./test.mjs');
