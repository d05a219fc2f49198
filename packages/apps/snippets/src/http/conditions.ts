import type { IncomingHttpHeaders } from 'node:http';
import { invalidInput, type InvalidInput } from '@doska/core/kernel';
import {
  formatVersion,
  parseVersion,
  type Condition,
  type FoundSnippet,
  type Version,
} from '@doska/core/snippets';
import { err, ok, type Result } from 'neverthrow';

const wrong = (path: string, message: string): Result<never, InvalidInput> =>
  err(invalidInput({ path, code: 'WrongValue', message }));

export const etagOf = (version: Version): string => `"${formatVersion(version)}"`;
/** The versions of all snippets in the answer, so it differs when one of them differs. */
export const etagOfAll = (found: readonly FoundSnippet[]): string =>
  `"${found.map(({ version }) => formatVersion(version)).join('.')}"`;

/** `If-Match` and `If-None-Match: *` of a write. */
export const conditionOf = (headers: IncomingHttpHeaders): Result<Condition | undefined, InvalidInput> => {
  const match = headers['if-match']?.trim();
  const noneMatch = headers['if-none-match']?.trim();
  if (match === undefined && noneMatch === undefined) return ok(undefined);
  if (match !== undefined && noneMatch !== undefined)
    return wrong('If-None-Match', 'either If-Match or If-None-Match is expected');
  if (noneMatch !== undefined)
    return noneMatch === '*' ? ok({ kind: 'absent' }) : wrong('If-None-Match', 'only * is expected');
  if (match === '*') return ok({ kind: 'exists' });
  const version = parseVersion(/^"(.*)"$/.exec(match!)?.[1] ?? '');
  return version ? ok({ kind: 'version', version }) : wrong('If-Match', 'one ETag of ours is expected');
};

/** The parameter `min-version`: a version or an ETag. */
export const minVersionOf = (query: string): Result<Version | undefined, InvalidInput> => {
  const text = new URLSearchParams(query).get('min-version');
  if (text === null) return ok(undefined);
  const version = parseVersion(text.replace(/^"(.*)"$/, '$1'));
  return version ? ok(version) : wrong('min-version', 'a version like 1700000000000-0 is expected');
};
