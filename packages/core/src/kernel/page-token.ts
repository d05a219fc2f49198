import { err, ok, type Result } from 'neverthrow';
import { fromBase64Url, toBase64Url } from './base64url.ts';
import type { Signer } from './ports/signer.port.ts';

/** The start of the next page: the sort key of the last row, in sort order. */
export type PageKey = readonly (string | number | boolean | null)[];

/**
 * malformed: not a token. forged: not signed by the current or previous key, or changed.
 * otherQuery: a valid token of another query.
 */
export type InvalidPageToken = {
  readonly kind: 'InvalidPageToken';
  readonly reason: 'malformed' | 'forged' | 'otherQuery';
};

export type PageTokens = {
  /** `query` is a short fingerprint of filter, order and caller. The client can read it in the token. */
  readonly encode: (query: string, key: PageKey) => string;
  readonly decode: (query: string, token: string) => Result<PageKey, InvalidPageToken>;
};

const VERSION = '1';
/** Longer tokens are refused before they are parsed. */
const TOKEN_CHARS_MAX = 4_096;

const encoder = new TextEncoder();
const encodeText = (text: string): string => toBase64Url(encoder.encode(text));
const decodeText = (text: string): string | undefined => {
  const bytes = fromBase64Url(text);
  try {
    return bytes && new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(bytes);
  } catch {
    return undefined;
  }
};

const isPageKey = (value: unknown): value is PageKey =>
  Array.isArray(value) &&
  value.every((part) => part === null || ['string', 'number', 'boolean'].includes(typeof part));

const parsePayload = (
  text: string | undefined,
): { readonly query: string; readonly key: PageKey } | undefined => {
  if (text === undefined) return undefined;
  try {
    const [query, key, ...rest] = JSON.parse(text) as unknown[];
    return typeof query === 'string' && isPageKey(key) && rest.length === 0 ? { query, key } : undefined;
  } catch {
    return undefined;
  }
};

const invalid = (reason: InvalidPageToken['reason']): Result<never, InvalidPageToken> =>
  err({ kind: 'InvalidPageToken', reason });

/**
 * Keyset page tokens: `version.payload.signature`, url-safe. They are signed, so a client cannot choose a position and
 * SQL can trust it. They belong to one query, so a token never continues another list.
 */
export const makePageTokens = (signer: Signer): PageTokens => ({
  encode: (query, key) => {
    const sealed = `${VERSION}.${encodeText(JSON.stringify([query, key]))}`;
    return `${sealed}.${encodeText(signer.sign(sealed))}`;
  },
  decode: (query, token) => {
    if (token.length > TOKEN_CHARS_MAX) return invalid('malformed');
    const [version, payload, seal, ...rest] = token.split('.');
    if (version !== VERSION || !payload || !seal || rest.length > 0) return invalid('malformed');
    const signature = decodeText(seal);
    if (signature === undefined) return invalid('malformed');
    // The signature covers the encoded text, so each token has exactly one spelling.
    if (!signer.verify(`${version}.${payload}`, signature)) return invalid('forged');
    const content = parsePayload(decodeText(payload));
    if (!content) return invalid('malformed');
    return content.query === query ? ok(content.key) : invalid('otherQuery');
  },
});
