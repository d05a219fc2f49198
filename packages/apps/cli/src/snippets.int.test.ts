import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHost, Tokens } from '@doska/app-composition';
import { snippets } from '@doska/app-snippets';
import { contexts } from '@doska/app-wiring';
import { eventually } from '@doska/core/kernel/testing';
import { SAMPLE_DIR, SnippetsTokens } from '@doska/app-wiring/snippets';
import { freshDatabase } from '@doska/test-setup/database';
import { afterAll, describe, expect, test } from 'vitest';
import { snippetsDryRun } from './snippets-dry-run.command.ts';
import { snippetsBulk } from './snippets-bulk.command.ts';
import {
  snippetsKeys,
  snippetsPurge,
  snippetsRedrive,
  snippetsReload,
  snippetsRetire,
} from './snippets-admin.command.ts';
import { snippetsCheck, snippetsExplain, snippetsPrefixes } from './snippets-config.command.ts';
import { snippetsDelete, snippetsGet, snippetsPut } from './snippets.command.ts';

const folder = mkdtempSync(join(tmpdir(), 'doska-snippets-cli-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
const file = (name: string, text: string): string => {
  writeFileSync(join(folder, name), text);
  return join(folder, name);
};
const sample = { config: join(SAMPLE_DIR, 'config.pb.txt') };

describe('doska snippets', () => {
  test('[F2] the sample configuration is right', async () => {
    const { value } = (await snippetsCheck(sample))._unsafeUnwrap();
    expect(value).toMatchObject({ sections: 12 });
  });
  test('[F2] the sample configuration uses every option that there is', async () => {
    const { value } = (await snippetsExplain('rating', sample))._unsafeUnwrap();
    const { options } = value as { options: readonly { option: string }[] };
    const text = readFileSync(sample.config, 'utf8').replace(/#.*/g, '');
    expect(options.length).toBeGreaterThan(10);
    expect(options.filter(({ option }) => !new RegExp(`\\b${option}:`).test(text))).toEqual([]);
  });
  test('[F2] check lists every mistake with file, line and column', async () => {
    const config = file('wrong.pb.txt', 'Body { Output: xml\n Colour: 1 }');
    file('key_prefixes.txt', '');
    const { message, exitCode } = (await snippetsCheck({ config }))._unsafeUnwrapErr();
    expect(message.split('\n').map((line) => line.replace(`${config}: `, ''))).toEqual([
      'line 1, column 16: root section: Output: one of json, pb, raw is expected',
      'line 2, column 2: root section: there is no option "Colour"',
    ]);
    expect(exitCode).toBe(77);
  });
  test('[F10] explain shows each option with the section and the line it comes from', async () => {
    const { value, text } = (await snippetsExplain('place/card/short', sample))._unsafeUnwrap();
    const lines = readFileSync(sample.config, 'utf8').split('\n');
    const { options } = value as {
      options: readonly { option: string; from?: string; place?: { line: number } }[];
    };
    for (const { option, place } of options.filter(({ from }) => from !== undefined))
      expect(lines[place!.line - 1]).toContain(option);
    expect(text).toMatch(/TtlMinutes +60 +place\/card\/short/);
    expect(text).toMatch(/Service +snippets +\(root\)/);
    expect((await snippetsExplain('nope', sample)).isErr()).toBe(true);
  });
  test('[F6] prefixes adds what is missing, and --check only tells', async () => {
    const config = file('new.pb.txt', 'Body { Section { Name: "b" } Section { Name: "a" } }');
    const prefixes = file('new.txt', 'next 5\n1 b\n');
    const missing = (await snippetsPrefixes({ config, prefixes, check: true }))._unsafeUnwrapErr();
    expect([missing.exitCode, readFileSync(prefixes, 'utf8')]).toEqual([2, 'next 5\n1 b\n']);
    expect((await snippetsPrefixes({ config, prefixes }))._unsafeUnwrap().value).toEqual({
      added: [{ kps: 5, name: 'a', isRetired: false }],
    });
    expect(readFileSync(prefixes, 'utf8')).toMatch(/next 6\n1 b\n5 a\n$/);
    expect((await snippetsPrefixes({ config, prefixes, check: true })).isOk()).toBe(true);
  });
  test('[F6] a broken file of prefixes is refused and stays as it is', async () => {
    const config = file('again.pb.txt', 'Body { Section { Name: "a" } }');
    const prefixes = file('again.txt', '1 a\n1 b\n');
    expect((await snippetsPrefixes({ config, prefixes }))._unsafeUnwrapErr().message).toContain('line 2');
    expect(readFileSync(prefixes, 'utf8')).toBe('1 a\n1 b\n');
  });
  test('[F10] [F6] [F8] put, get, bulk, delete, keys, purge, retire, reload, redrive and dry-run work on a running platform', async () => {
    const database = await freshDatabase();
    const secret = 'only-for-this-test-and-long-enough';
    const { config } = loadConfig(
      {
        DOSKA_PROFILE: 'postgres',
        DATABASE_URL: database.url,
        DOSKA_TOKEN_KEY: secret,
        DOSKA_SIGNING_SECRET: secret,
        DOSKA_DATA_DIR: folder,
        DOSKA_HTTP_PORT: '0',
        DOSKA_GRPC_PORT: '0',
        DOSKA_LOG_LEVEL: 'error',
        DOSKA_SNIPPETS_CONFIG: sample.config,
      },
      contexts,
    )._unsafeUnwrap();
    const host = (await startHost('snippets', [snippets], config))._unsafeUnwrap();
    const roles = [{ name: 'operator' }] as const;
    const token = await host.container.get(Tokens.issueToken)({ subject: 'test', roles, ttlSec: 60 });
    const before = { ...process.env };
    Object.assign(process.env, { DOSKA_URL: host.run.grpcAddress, DOSKA_TOKEN: token._unsafeUnwrap() });
    const content = file('rating.json', '{"stars":5}');
    expect((await snippetsPut('rating', 'k1', content, {}))._unsafeUnwrap().value).toEqual({
      stored: ['rating'],
    });
    expect((await snippetsPut('rating', 'k1', content, { type: 'xml' }))._unsafeUnwrapErr().exitCode).toBe(
      64,
    );
    expect((await snippetsPut('rating', 'k1', content, { type: 'pb' }))._unsafeUnwrapErr().exitCode).toBe(77);
    expect((await snippetsGet('rating', 'k1', {}))._unsafeUnwrap().value).toMatchObject({
      snippets: [{ name: 'rating', content: '{"stars":5}' }],
    });
    const lines = file(
      'ratings.ndjson',
      '{"key":"b1","json":{"stars":1}}\n{"key":"b2","json":{"stars":9}}\n\n{"key":"b1","delete":true}\n{"key":"b3","text":"x","type":"pb"}\n',
    );
    const bulk = (await snippetsBulk('rating', lines))._unsafeUnwrap();
    expect(bulk.value).toMatchObject({
      lines: 4,
      written: 2,
      refused: 2,
      reasons: [
        { line: 2, key: 'b2' },
        { line: 5, key: 'b3' },
      ],
    });
    expect(bulk.exitCode).toBe(2);
    expect((await snippetsGet('rating', 'b1', {}))._unsafeUnwrap().exitCode).toBe(1);
    expect((await snippetsBulk('rating', `${lines}.gone`))._unsafeUnwrapErr().message).toContain('ENOENT');
    const stricter = file(
      'stricter.pb.txt',
      'Body { Service: "snippets" Output: json InputSameAsOutput: true ChildrenOnly: true Section { Name: "rating" Body { Output: raw } } Section { Name: "fresh" } }',
    );
    const next = { config: stricter, prefixes: file('stricter.txt', '6 rating\n70 fresh\n') };
    const dry = (await snippetsDryRun(next))._unsafeUnwrap();
    expect(dry.value).toEqual({
      sections: [
        { section: 'fresh', live: 0, refused: 0 },
        { section: 'rating', live: 1, refused: 1 },
      ],
      examples: [{ section: 'rating', key: 'k1', language: '', reason: 'it is stored as json, not as raw' }],
    });
    expect(dry.exitCode).toBe(2);
    const same = (await snippetsDryRun({ ...sample, section: 'rating' }))._unsafeUnwrap();
    expect(same.value).toEqual({ sections: [{ section: 'rating', live: 1, refused: 0 }], examples: [] });
    expect((await snippetsDryRun({ ...sample, section: 'nope' })).isErr()).toBe(true);
    // Together they are larger than one answer may be.
    const large = file('large.bin', 'x'.repeat(250_000));
    for (let n = 0; n < 20; n++)
      (await snippetsPut('badge', `large-${n}`, large, { type: 'raw' }))._unsafeUnwrap();
    expect((await snippetsDryRun({ ...sample, section: 'badge' }))._unsafeUnwrap().value).toMatchObject({
      sections: [{ section: 'badge', live: 20, refused: 0 }],
    });
    expect((await snippetsDelete('rating', 'k1', {}))._unsafeUnwrap().value).toEqual({ deleted: ['rating'] });
    expect((await snippetsGet('rating', 'k1', {}))._unsafeUnwrap().exitCode).toBe(1);
    expect((await snippetsKeys('rating', sample))._unsafeUnwrap().value).toMatchObject({
      keys: [
        { key: 'b1', state: 'deleted' },
        { key: 'k1', state: 'deleted' },
      ],
    });
    expect((await snippetsPurge('rating', sample))._unsafeUnwrapErr().message).toContain(
      'configuration first',
    );
    const prefixes = file('old.txt', 'next 60\n50 old\n6 rating\n');
    const old = { ...sample, prefixes };
    const store = host.container.get(SnippetsTokens.store);
    const at = { service: 'snippets', kps: 50, key: 'k', language: '' };
    const row = { at, content: { format: 'json', bytes: Buffer.from('1') }, ttlMs: undefined } as const;
    (await store.commit([{ rows: [row] }], { tombstoneMs: 1e9 }))._unsafeUnwrap();
    expect((await snippetsRetire('old', old))._unsafeUnwrapErr().message).toContain(
      'doska snippets purge old',
    );
    expect((await snippetsPurge('old', old))._unsafeUnwrap().value).toEqual({ deleted: 1 });
    expect((await snippetsRetire('old', old))._unsafeUnwrap().value).toEqual({ retired: 'old' });
    expect(readFileSync(prefixes, 'utf8')).toMatch(/next 60\n50 old retired\n/);
    expect((await snippetsReload())._unsafeUnwrap().value).toEqual({ loaded: false, mistakes: [] });
    const log = host.container.get(Tokens.log);
    (await log.publish([{ topic: 'place-scores', key: 'k', value: Buffer.from('broken') }]))._unsafeUnwrap();
    await eventually(async () =>
      expect((await snippetsRedrive('place-scores', {}))._unsafeUnwrap().value).toEqual({
        sent: 1,
        skipped: 0,
      }),
    );
    expect((await snippetsRedrive('nope', {}))._unsafeUnwrapErr().exitCode).toBe(77);
    process.env = before;
    await host.stop();
    await database.drop();
  });
});
