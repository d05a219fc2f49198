import { createRequire } from 'node:module';
import type * as Sdk from 'ydb-sdk';

/**
 * The only import of the client's code. Its ES build is really CommonJS, and the result of an `import` depends on the
 * loader. Two copies would not recognise each other's errors.
 */
export const sdk = createRequire(import.meta.url)('ydb-sdk') as typeof Sdk;
