import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, test } from 'vitest';
import { settingRows, settingsHelp, settingsTable } from './help.ts';
import { loadConfig } from './load.ts';

const linesOf = (env: Record<string, string>): readonly string[] =>
  loadConfig(env).match(
    () => [],
    ({ lines }) => lines,
  );
const file = (content: unknown): string => {
  const path = join(mkdtempSync(join(tmpdir(), 'doska-config-')), 'doska.json');
  writeFileSync(path, typeof content === 'string' ? content : JSON.stringify(content));
  return path;
};
const secret = 'x'.repeat(40);

describe('configuration', () => {
  test('[B15] nothing given is the embedded profile with its defaults', () => {
    const { config, warnings } = loadConfig({})._unsafeUnwrap();
    expect(config).toMatchObject({
      profile: 'embedded',
      host: '127.0.0.1',
      httpPort: 8080,
      grpcPort: 9090,
      dataDir: 'data',
      log: 'postgres',
    });
    expect([...config.chosen]).toEqual([]);
    expect(warnings).toEqual([]);
  });
  test('[B15] the environment wins over the file, the file over the default', () => {
    const DOSKA_CONFIG = file({ httpPort: 1111, grpcPort: 2222, openMetrics: true });
    const { config } = loadConfig({ DOSKA_CONFIG, DOSKA_GRPC_PORT: '3333' })._unsafeUnwrap();
    expect(config).toMatchObject({ httpPort: 1111, grpcPort: 3333, openMetrics: true, callsMax: 1_000 });
    expect(config.chosen).toEqual(new Set(['httpPort', 'grpcPort', 'openMetrics']));
  });
  test('[B15] every wrong value refuses and names its variable', () => {
    expect(
      linesOf({
        DOSKA_HTTP_PORT: '99999',
        DOSKA_PROFILE: 'cloud',
        DATABASE_URL: 'mysql://x',
        DOSKA_OPEN_METRICS: 'perhaps',
      }),
    ).toEqual([
      expect.stringContaining('DOSKA_PROFILE: '),
      expect.stringContaining('DATABASE_URL: '),
      expect.stringMatching(/^DOSKA_HTTP_PORT: .*99999/),
      expect.stringContaining('DOSKA_OPEN_METRICS: '),
    ]);
  });
  test('[B15] the value of a secret is never repeated', () => {
    const lines = linesOf({ DOSKA_TOKEN_KEY: 'too-short-secret' });
    expect(lines).toEqual([expect.stringContaining('DOSKA_TOKEN_KEY: ')]);
    expect(lines.join()).not.toContain('too-short-secret');
  });
  test('[B15] a profile on your own PostgreSQL says all that it needs', () => {
    expect(linesOf({ DOSKA_PROFILE: 'postgres' })).toEqual([
      'DATABASE_URL: needed by DOSKA_PROFILE=postgres',
      'DOSKA_TOKEN_KEY: needed by DOSKA_PROFILE=postgres',
      'DOSKA_SIGNING_SECRET: needed by DOSKA_PROFILE=postgres',
    ]);
    expect(
      linesOf({
        DOSKA_PROFILE: 'postgres',
        DATABASE_URL: 'postgresql://db/doska',
        DOSKA_TOKEN_KEY: secret,
        DOSKA_SIGNING_SECRET: secret,
      }),
    ).toEqual([]);
  });
  test('[B15] a log on Kafka says what it needs', () => {
    expect(linesOf({ DOSKA_LOG: 'kafka', DOSKA_KAFKA_SASL: 'plain' })).toEqual([
      'KAFKA_BROKERS: needed by DOSKA_LOG=kafka',
      'DOSKA_KAFKA_USER: needed by DOSKA_KAFKA_SASL',
      'DOSKA_KAFKA_PASSWORD: needed by DOSKA_KAFKA_SASL',
    ]);
    expect(linesOf({ DOSKA_LOG: 'kafka', KAFKA_BROKERS: 'localhost' })).toEqual([
      expect.stringMatching(/^KAFKA_BROKERS: host:port/),
    ]);
    expect(linesOf({ DOSKA_LOG: 'kafka', KAFKA_BROKERS: 'a.example:9092,b.example:9092' })).toEqual([]);
  });
  test('[G17] an archive that would not wait for banned offers of feeds is refused; it may be off', () => {
    expect(linesOf({ DOSKA_ARCHIVE_DAYS: '89' })).toEqual([
      expect.stringContaining('DOSKA_ARCHIVE_DAYS: at least DOSKA_BANNED_FEED_DAYS (90)'),
    ]);
    expect(linesOf({ DOSKA_ARCHIVE_DAYS: '-1' })).toEqual([expect.stringContaining('DOSKA_ARCHIVE_DAYS: ')]);
    expect(linesOf({ DOSKA_ARCHIVE_DAYS: '5', DOSKA_BANNED_FEED_DAYS: '5' })).toEqual([]);
    for (const off of ['off', '0'])
      expect(loadConfig({ DOSKA_ARCHIVE_DAYS: off })._unsafeUnwrap().config.archiveDays).toBe(0);
    expect(loadConfig({})._unsafeUnwrap().config.archiveDays).toBe(180);
  });
  test('[B15] a heartbeat that is too slow for its lease is refused', () => {
    expect(linesOf({ DOSKA_LEASE_MS: '2000', DOSKA_HEARTBEAT_MS: '1000' })).toEqual([
      expect.stringContaining('DOSKA_HEARTBEAT_MS: '),
    ]);
  });
  test.each([
    ['a file that is not there', '/nowhere/doska.json', /can't be read/],
    ['a file that is not JSON', file('port = 1'), /not a JSON object/],
    ['a setting that does not exist', file({ htpPort: 1 }), /does not exist: htpPort/],
  ])('[B15] %s is refused', (_name, path, words) => {
    expect(linesOf({ DOSKA_CONFIG: path }).join()).toMatch(words);
  });
  test('[B15] a variable that nobody knows is pointed out', () => {
    expect(loadConfig({ DOSKA_HTTP_PROT: '1' })._unsafeUnwrap().warnings).toEqual([
      'DOSKA_HTTP_PROT is set, but there is no such setting',
    ]);
  });
  test('[B15] --help and the table say something of every setting', () => {
    for (const { env, doc, values } of settingRows()) {
      expect(doc.length).toBeGreaterThan(10);
      expect(values).not.toBe('');
      expect(settingsHelp()).toContain(env);
    }
    expect(settingRows().find(({ env }) => env === 'DOSKA_RETENTION_MS')).toMatchObject({
      fallback: '604800000 (7 days)',
    });
  });
  test('[B15] the table in the README is the one made from the schema', () => {
    expect(readFileSync(new URL('../../../../../README.md', import.meta.url), 'utf8')).toContain(
      settingsTable(),
    );
  });
});
