import { err, ok, type Result } from 'neverthrow';
import { invalidInput } from '../../kernel/index.ts';
import { checkedKey } from '../address/key-rules.ts';
import type { ConfiguredSection, Leaf, SnippetConfig } from '../config/snippet-config.ts';
import type { RowKey } from '../store/stored-row.ts';
import type { AddressError } from './snippet-errors.ts';

export type Address = { readonly section: ConfiguredSection; readonly key: string };

/** The section of a request, which must have something to do, and the checked key. */
export const addressOf = (
  { sections }: Pick<SnippetConfig, 'sections'>,
  name: string,
  key: string,
  keyBytesMax: number,
): Result<Address, AddressError> => {
  const section = sections.get(name);
  if (!section) return err({ kind: 'UnknownSection', name });
  if (section.targets.length === 0) return err({ kind: 'NothingToDo', name });
  return checkedKey(key, keyBytesMax).map((checked) => ({ section, key: checked }));
};

export const rowOf = ({ service, kps }: Leaf, key: string, language: string): RowKey => ({
  service,
  kps,
  key,
  language,
});

/** A condition is about one row, so the request must be about one. */
export const conditionAllowed = (rows: number): Result<void, AddressError> =>
  rows === 1
    ? ok(undefined)
    : err(
        invalidInput({
          path: 'If-Match',
          code: 'SeveralRows',
          message: 'a condition is for one snippet in one language, not for a group or for several languages',
        }),
      );
