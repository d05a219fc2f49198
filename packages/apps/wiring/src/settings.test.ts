import { readFileSync } from 'node:fs';
import {
  loadConfig,
  readmeTable,
  settingRows,
  settingsHelp,
  settingsTables,
  type SettingsShape,
} from '@doska/app-composition';
import { describe, expect, test } from 'vitest';
import { contexts } from './index.ts';

const document = (path: string): string =>
  readFileSync(new URL(`../../../../${path}`, import.meta.url), 'utf8');
const linesOf = (env: Record<string, string>): readonly string[] =>
  loadConfig(env, contexts).match(
    () => [],
    ({ lines }) => lines,
  );
const rows = settingRows(contexts);

describe('settings of contexts', () => {
  test.each(
    contexts.flatMap(({ name, settings }) =>
      Object.entries(settings as SettingsShape).map((one) => [name, ...one] as const),
    ),
  )('[B15] the variable of %s.%s has the name of its context and key', (name, key, schema) => {
    const words = key.replace(/[A-Z]/g, (letter) => `_${letter}`).toUpperCase();
    expect(schema.meta()).toMatchObject({ env: `DOSKA_${name.toUpperCase()}_${words}` });
  });
  test('[B15] settings of one context arrive under its name', () => {
    const { config } = loadConfig({ DOSKA_GOST_EXPORT_SHARDS: '8' }, contexts)._unsafeUnwrap();
    expect(config.gost.exportShards).toBe(8);
    expect(config.catalog.keep).toBe(20);
    expect(config.photos.attempts).toBe(3);
  });
  test('[B15] an old name without its context is a warning that names the new one', () => {
    const { warnings } = loadConfig({ DOSKA_EXPORT_SHARDS: '8' }, contexts)._unsafeUnwrap();
    expect(warnings).toEqual([
      'DOSKA_EXPORT_SHARDS is set, but there is no such setting; the nearest one is DOSKA_GOST_EXPORT_SHARDS',
    ]);
  });
  test('[X2] records that cannot hold the largest offer or answer are refused at start', () => {
    expect(linesOf({ DOSKA_RECORD_BYTES_MAX: '500000' })).toEqual([
      expect.stringMatching(/^DOSKA_RECORD_BYTES_MAX: at least 589824: the largest offer takes \d+ bytes/),
    ]);
    expect(linesOf({ DOSKA_RECORD_BYTES_MAX: '589824' })).toEqual([]);
    expect(linesOf({ DOSKA_RECORD_BYTES_MAX: '589823' })).toHaveLength(1);
  });
  test('[G17] an archive that would not wait for banned offers of feeds is refused; it may be off', () => {
    expect(linesOf({ DOSKA_GOST_ARCHIVE_DAYS: '89' })).toEqual([
      expect.stringContaining('DOSKA_GOST_ARCHIVE_DAYS: at least DOSKA_GOST_BANNED_FEED_DAYS (90)'),
    ]);
    expect(linesOf({ DOSKA_GOST_ARCHIVE_DAYS: '-1' })).toEqual([
      expect.stringContaining('DOSKA_GOST_ARCHIVE_DAYS: '),
    ]);
    expect(linesOf({ DOSKA_GOST_ARCHIVE_DAYS: '5', DOSKA_GOST_BANNED_FEED_DAYS: '5' })).toEqual([]);
    const daysOf = (env: Record<string, string>) =>
      loadConfig(env, contexts)._unsafeUnwrap().config.gost.archiveDays;
    for (const off of ['off', '0']) expect(daysOf({ DOSKA_GOST_ARCHIVE_DAYS: off })).toBe(0);
    expect(daysOf({})).toBe(180);
  });
  test('[G12] a store on YDB needs a connection string, and the error names the settings that ask for it', () => {
    expect(linesOf({ DOSKA_GOST_STORE: 'ydb' })).toEqual([
      'YDB_CONNECTION_STRING: needed by DOSKA_GOST_STORE=ydb',
    ]);
    expect(linesOf({ DOSKA_GOST_STORE: 'ydb', DOSKA_SNIPPETS_STORE: 'ydb' })).toEqual([
      'YDB_CONNECTION_STRING: needed by DOSKA_GOST_STORE=ydb, DOSKA_SNIPPETS_STORE=ydb',
    ]);
    expect(linesOf({ DOSKA_STORE: 'ydb' })).toEqual(['YDB_CONNECTION_STRING: needed by DOSKA_STORE=ydb']);
    expect(linesOf({ DOSKA_STORE: 'ydb', YDB_CONNECTION_STRING: 'grpc://ydb:2136/local' })).toEqual([]);
  });
  test('[G12] DOSKA_STORE is the default of every context, and a context may differ', () => {
    const storesOf = (env: Record<string, string>) => {
      const { config } = loadConfig(
        { ...env, YDB_CONNECTION_STRING: 'grpc://ydb:2136/local' },
        contexts,
      )._unsafeUnwrap();
      const found = contexts.flatMap((one) => (one.store ? [[one.name, one.store(config)]] : []));
      return Object.fromEntries(found) as Record<string, string>;
    };
    const all = (store: string) => ({ gost: store, vasgen: store, search: store, snippets: store });
    expect(storesOf({})).toEqual(all('postgres'));
    expect(storesOf({ DOSKA_STORE: 'ydb' })).toEqual(all('ydb'));
    expect(storesOf({ DOSKA_STORE: 'ydb', DOSKA_GOST_STORE: 'postgres' })).toEqual({
      ...all('ydb'),
      gost: 'postgres',
    });
    for (const name of ['gost', 'vasgen', 'search', 'snippets'])
      expect(storesOf({ [`DOSKA_${name.toUpperCase()}_STORE`]: 'ydb' })).toEqual({
        ...all('postgres'),
        [name]: 'ydb',
      });
    expect(linesOf({ DOSKA_STORE: 'mysql' })).toEqual([expect.stringContaining('DOSKA_STORE: ')]);
  });
});

describe('documentation of settings', () => {
  test.each(rows)('[B15] $env has a description, its values and a default or "none"', (row) => {
    expect(row.doc.length).toBeGreaterThan(10);
    expect(row.values).not.toBe('');
    expect(row.fallback).not.toBe('');
    const line = settingsHelp(contexts)
      .split('\n')
      .find((one) => one.startsWith(`  ${row.env} `));
    expect(line).toMatch(/ \[[^\]]+\]$/);
  });
  test('[B15] README has the ten settings that most installations need', () => {
    expect(rows.filter(({ inReadme }) => inReadme)).toHaveLength(10);
    expect(document('README.md')).toContain(readmeTable(contexts));
  });
  test('[B15] docs/configuration.md has every setting; `npm run settings` writes it', () => {
    expect(document('docs/configuration.md')).toContain(settingsTables(contexts));
  });
});
