import type { Violation } from '../../kernel/index.ts';
import type { LoadedConfig } from '../config/loaded-config.ts';
import type { Leaf } from '../config/snippet-config.ts';
import type { Content, RowKey } from '../store/stored-row.ts';
import { checkJson } from './check-json.ts';
import type { ContentLimits } from './prepare-leaf.ts';
import type { JsonSchemas } from './snippet-parts.ts';

export type StoredSnippet = Pick<RowKey, 'key' | 'language'> & { readonly content: Content };
/** What is wrong with a stored snippet by a config. Empty: the config would take it as it is. */
export type StoredCheck = (leaf: Leaf, stored: StoredSnippet) => Promise<readonly Violation[]>;

/**
 * Judges what is stored by another config than the one that stored it. A section without a convertor checks it like an upload.
 * What a convertor made can't be uploaded again, so only its format and the schema of the output are checked.
 */
export const makeStoredCheck =
  (
    { prepare }: Pick<LoadedConfig, 'prepare'>,
    schemas: JsonSchemas,
    { jsonDepthMax }: Pick<ContentLimits, 'jsonDepthMax'>,
  ): StoredCheck =>
  async (leaf, { key, language, content: { format, bytes } }) => {
    if (format !== leaf.output)
      return [{ path: '', code: 'OtherFormat', message: `it is stored as ${format}, not as ${leaf.output}` }];
    if (leaf.convertor === undefined) {
      const prepared = await prepare.get(leaf.name)!({ format, bytes, key, language });
      if (prepared.isOk()) return [];
      const { error } = prepared;
      return error.kind === 'LeafRefused'
        ? error.violations
        : [{ path: '', code: error.kind, message: error.what }];
    }
    const { outputSchema } = leaf;
    if (outputSchema === undefined || format !== 'json') return [];
    return checkJson(bytes, jsonDepthMax).match(
      (value) => schemas.violations(outputSchema, value),
      (violation) => [violation],
    );
  };
