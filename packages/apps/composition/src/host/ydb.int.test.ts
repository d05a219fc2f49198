import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentTelemetry } from '@doska/core/kernel';
import { afterAll, expect, test } from 'vitest';
import { loadConfig } from '../config/load.ts';
import { systemClock, systemIds, systemRandom } from '../system.ts';
import { migrateConfiguredYdb } from './ydb.ts';

const folder = mkdtempSync(join(tmpdir(), 'doska-ydb-login-'));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** What a start says; the address is one that nothing listens on. */
const linesOf = async (env: Record<string, string>): Promise<string> => {
  const given = { DOSKA_STORE: 'ydb', YDB_CONNECTION_STRING: 'grpcs://127.0.0.1:1/local', ...env };
  const { config } = loadConfig(given, [])._unsafeUnwrap();
  const { logger } = silentTelemetry;
  const outcome = await migrateConfiguredYdb(config, [], {
    clock: systemClock,
    random: systemRandom,
    ids: systemIds,
    logger,
    dryRun: true,
  });
  return outcome._unsafeUnwrapErr().lines.join('\n');
};
const empty = join(folder, 'empty');
writeFileSync(empty, ' \n');

test('[X16] a token file that is missing or empty stops the start and is named', async () => {
  const token = { DOSKA_YDB_AUTH: 'token' };
  expect(await linesOf({ ...token, DOSKA_YDB_TOKEN_FILE: join(folder, 'none') })).toMatch(
    /^DOSKA_YDB_TOKEN_FILE: ENOENT/,
  );
  expect(await linesOf({ ...token, DOSKA_YDB_TOKEN_FILE: empty })).toBe(
    `DOSKA_YDB_TOKEN_FILE: ${empty} is empty`,
  );
});
test('[X16] a file of root certificates that is missing stops the start and is named', async () => {
  expect(await linesOf({ DOSKA_YDB_CA_FILE: join(folder, 'none') })).toMatch(/^DOSKA_YDB_CA_FILE: ENOENT/);
});
