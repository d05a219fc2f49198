import { mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { ContainerModule } from 'inversify';
import { describe, expect, test } from 'vitest';
import { defineContext } from '../context.ts';
import { settingRows, settingsHelp, settingsTables } from './help.ts';
import { loadConfig } from './load.ts';
import { editDistance } from './nearest.ts';
import { daysOrOff, setting, wholeNumber } from './setting.ts';

/** A context as an app would bring it. */
const toys = defineContext({
  name: 'toys',
  title: 'Toys',
  settings: {
    boxes: setting('DOSKA_TOYS_BOXES', wholeNumber(1, 9).default(3), 'The number of boxes.'),
    keepDays: setting('DOSKA_TOYS_KEEP_DAYS', daysOrOff.default(180), 'How long a toy is kept.'),
  },
  check: ({ toys: { boxes }, partitions }) =>
    boxes > partitions ? ['DOSKA_TOYS_BOXES: at most DOSKA_PARTITIONS'] : [],
  module: () => new ContainerModule(() => {}),
});
const load = (env: Record<string, string>) => loadConfig(env, [toys]);
const linesOf = (env: Record<string, string>): readonly string[] =>
  load(env).match(
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
  test('[B15] without any setting, the embedded profile runs with the defaults', () => {
    const { config, warnings } = load({})._unsafeUnwrap();
    expect(config).toMatchObject({
      profile: 'embedded',
      host: '127.0.0.1',
      httpPort: 8080,
      grpcPort: 9090,
      dataDir: 'data',
      log: 'postgres',
      toys: { boxes: 3, keepDays: 180 },
    });
    expect([...config.chosen]).toEqual([]);
    expect(warnings).toEqual([]);
  });
  test('[B15] the environment wins over the file, the file over the default', () => {
    const DOSKA_CONFIG = file({ httpPort: 1111, grpcPort: 2222, openMetrics: true });
    const { config } = load({ DOSKA_CONFIG, DOSKA_GRPC_PORT: '3333' })._unsafeUnwrap();
    expect(config).toMatchObject({ httpPort: 1111, grpcPort: 3333, openMetrics: true, callsMax: 1_000 });
    expect(config.chosen).toEqual(new Set(['httpPort', 'grpcPort', 'openMetrics']));
  });
  test('[B15] settings of a context are nested under its name, in the configuration and in the file', () => {
    const DOSKA_CONFIG = file({ httpPort: 1111, toys: { boxes: 5, keepDays: 'off' } });
    const { config } = load({ DOSKA_CONFIG, DOSKA_TOYS_BOXES: '7' })._unsafeUnwrap();
    expect(config.toys).toEqual({ boxes: 7, keepDays: 0 });
    expect(config.chosen).toEqual(new Set(['httpPort', 'toys.boxes', 'toys.keepDays']));
  });
  test('[B15] every wrong value is refused and its variable is named', () => {
    expect(
      linesOf({
        DOSKA_HTTP_PORT: '99999',
        DOSKA_PROFILE: 'cloud',
        DATABASE_URL: 'mysql://x',
        DOSKA_OPEN_METRICS: 'perhaps',
        DOSKA_TOYS_BOXES: '10',
      }),
    ).toEqual([
      expect.stringContaining('DOSKA_PROFILE: '),
      expect.stringContaining('DATABASE_URL: '),
      expect.stringMatching(/^DOSKA_HTTP_PORT: .*99999/),
      expect.stringContaining('DOSKA_OPEN_METRICS: '),
      expect.stringMatching(/^DOSKA_TOYS_BOXES: .*"10"/),
    ]);
  });
  test('[B15] a context checks its settings together with those of the platform', () => {
    expect(linesOf({ DOSKA_TOYS_BOXES: '9', DOSKA_PARTITIONS: '8' })).toEqual([
      'DOSKA_TOYS_BOXES: at most DOSKA_PARTITIONS',
    ]);
  });
  test('[B15] an error message never shows the value of a secret', () => {
    const lines = linesOf({ DOSKA_TOKEN_KEY: 'too-short-secret' });
    expect(lines).toEqual([expect.stringContaining('DOSKA_TOKEN_KEY: ')]);
    expect(lines.join()).not.toContain('too-short-secret');
  });
  test('[B15] the profile `postgres` lists all settings that it needs', () => {
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
  test('[B15] a log on Kafka lists all settings that it needs', () => {
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
  test('[X16] a login to YDB lists all settings that it needs, and two tokens are one too many', () => {
    expect(linesOf({ DOSKA_YDB_AUTH: 'token' })).toEqual([
      'DOSKA_YDB_TOKEN or DOSKA_YDB_TOKEN_FILE: needed by DOSKA_YDB_AUTH=token',
    ]);
    expect(linesOf({ DOSKA_YDB_AUTH: 'token', DOSKA_YDB_TOKEN: 'a' })).toEqual([]);
    expect(linesOf({ DOSKA_YDB_AUTH: 'token', DOSKA_YDB_TOKEN_FILE: '/a' })).toEqual([]);
    expect(linesOf({ DOSKA_YDB_AUTH: 'token', DOSKA_YDB_TOKEN: 'a', DOSKA_YDB_TOKEN_FILE: '/a' })).toEqual([
      'DOSKA_YDB_TOKEN_FILE: not together with DOSKA_YDB_TOKEN',
    ]);
    for (const one of ['DOSKA_YDB_USER', 'DOSKA_YDB_PASSWORD'])
      expect(linesOf({ DOSKA_YDB_AUTH: 'password', [one]: 'a' })).toEqual([
        'DOSKA_YDB_USER, DOSKA_YDB_PASSWORD: needed by DOSKA_YDB_AUTH=password',
      ]);
    expect(linesOf({ DOSKA_YDB_AUTH: 'password', DOSKA_YDB_USER: 'a', DOSKA_YDB_PASSWORD: 'b' })).toEqual([]);
    expect(linesOf({ DOSKA_YDB_AUTH: 'metadata' })).toEqual([]);
  });
  test('[X16] an address of YDB without a database is refused', () => {
    expect(linesOf({ YDB_CONNECTION_STRING: 'grpc://host:2136' })).toEqual([
      'YDB_CONNECTION_STRING: it names no database',
    ]);
    expect(linesOf({ YDB_CONNECTION_STRING: 'grpcs://host/?database=/x' })).toEqual([]);
  });
  test('[B15] a heartbeat that is too slow for its lease is refused', () => {
    expect(linesOf({ DOSKA_LEASE_MS: '2000', DOSKA_HEARTBEAT_MS: '1000' })).toEqual([
      expect.stringContaining('DOSKA_HEARTBEAT_MS: '),
    ]);
  });
  test.each([
    ['a file that does not exist', '/nowhere/doska.json', /can't be read/],
    ['a file that is not JSON', file('port = 1'), /not a JSON object/],
    [
      'a setting that does not exist',
      file({ htpPort: 1 }),
      /does not exist: htpPort; the nearest one is httpPort/,
    ],
    [
      'a setting that the context does not have',
      file({ toys: { boxs: 1 } }),
      /does not exist: toys.boxs; the nearest one is toys.boxes/,
    ],
    ['a context that does not exist', file({ games: { boxes: 1 } }), /does not exist: games.boxes/],
    ['a context that is not an object', file({ toys: 5 }), /does not exist: toys/],
  ])('[B15] %s is refused', (_name, path, words) => {
    expect(linesOf({ DOSKA_CONFIG: path }).join()).toMatch(words);
  });
});

describe('unknown variables', () => {
  test.each([
    ['DOSKA_HTTP_PROT', '; the nearest one is DOSKA_HTTP_PORT'],
    ['DOSKA_KEEP_DAYS', ''],
    ['DOSKA_TOYS_BOX', '; the nearest one is DOSKA_TOYS_BOXES'],
    ['DOSKA_NOTHING_LIKE_IT_AT_ALL', ''],
  ])('[B15] %s is a warning that names the nearest setting, if one looks like it', (name, nearest) => {
    expect(load({ [name]: '1' })._unsafeUnwrap().warnings).toEqual([
      `${name} is set, but there is no such setting${nearest}`,
    ]);
  });
  test('[B15] the edit distance counts inserted, removed and replaced characters', () => {
    expect(editDistance('kitten', 'sitting')).toBe(3);
    expect(editDistance('', 'abc')).toBe(3);
    expect(editDistance('same', 'same')).toBe(0);
  });
});

describe('descriptions', () => {
  const rowOf = (name: string) => settingRows([toys]).find(({ env }) => env === name);
  test('[B15] a default is shown with its unit, also behind `off`', () => {
    expect(rowOf('DOSKA_RETENTION_MS')).toMatchObject({ fallback: '604800000 (7 days)' });
    expect(rowOf('DOSKA_TOYS_KEEP_DAYS')).toMatchObject({ fallback: '180', values: '`off`, 1 … 3650' });
    expect(rowOf('DOSKA_MIGRATE')).toMatchObject({ fallback: '`auto` in `embedded`, else `check`' });
    expect(rowOf('DOSKA_OTLP_URL')).toMatchObject({ fallback: 'none' });
  });
  test('[B15] --help and the tables have a section per context', () => {
    expect(settingsHelp([toys])).toMatch(/^Toys:\n {2}DOSKA_TOYS_BOXES +The number of boxes\. \[3\]$/m);
    expect(settingsTables([toys])).toContain('## Toys\n\n| variable | default |');
  });
});
