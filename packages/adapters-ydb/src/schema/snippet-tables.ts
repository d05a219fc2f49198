import { table } from './table-spec.ts';

/**
 * Contents by service, key prefix, key and language. A tombstone has neither format nor content. `content_bytes` tells how
 * many rows one answer holds before their contents are read.
 */
export const snippets = table({
  name: 'snippet',
  columns: {
    service: 'Utf8',
    kps: 'Uint32',
    key: 'Utf8',
    language: 'Utf8',
    version_ms: 'Uint64',
    version_sequence: 'Uint64',
    source: 'Utf8',
    format: 'Uint32?',
    content: 'String?',
    content_bytes: 'Uint32',
    expires_at_ms: 'Uint64?',
    due_at_ms: 'Uint64?',
  },
  primaryKey: ['service', 'kps', 'key', 'language'],
});
/** What happens to a row by itself at `at_ms`: it expires, or its tombstone is deleted. The shard is a hash of the key. */
export const snippetsDue = table({
  name: 'snippet_due',
  columns: {
    shard: 'Uint32',
    at_ms: 'Uint64',
    service: 'Utf8',
    kps: 'Uint32',
    key: 'Utf8',
    language: 'Utf8',
  },
  primaryKey: ['shard', 'at_ms', 'service', 'kps', 'key', 'language'],
});
export const snippetTables = [snippets, snippetsDue];
