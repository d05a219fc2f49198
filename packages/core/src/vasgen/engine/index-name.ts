import type { Brand } from '../../kernel/index.ts';

/** The name of one index: lower case letters, digits, `-`, `_`, at most 100; begins with a letter. */
export type IndexName = Brand<string, 'IndexName'>;
/** A name that queries use; `serve` decides which index answers. */
export type ServingName = Brand<string, 'ServingName'>;

const NAME = /^[a-z][a-z0-9_-]{0,99}$/;
export const indexName = (text: string): IndexName | undefined =>
  NAME.test(text) ? (text as IndexName) : undefined;
export const servingName = (text: string): ServingName | undefined =>
  NAME.test(text) ? (text as ServingName) : undefined;
