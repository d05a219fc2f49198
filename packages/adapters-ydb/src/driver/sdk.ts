import { createRequire } from 'node:module';
import type * as Sdk from 'ydb-sdk';

/**
 * The one way to the client's code. Its ES build is CommonJS in disguise, and what an `import` finds in it depends on who
 * loads it; two copies of it would not know each other's errors.
 */
export const sdk = createRequire(import.meta.url)('ydb-sdk') as typeof Sdk;
