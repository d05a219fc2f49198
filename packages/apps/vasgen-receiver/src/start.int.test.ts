import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { vasgenReceiver } from './index.ts';

let database: FreshDatabase;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-receiver-'));
beforeAll(async () => {
  database = await freshDatabase({ max: 2 });
});
afterAll(async () => {
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
});
const configured = (settings: Readonly<Record<string, string>>) =>
  loadConfig(
    {
      DOSKA_PROFILE: 'embedded',
      DATABASE_URL: database.url,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_VASGEN_CLIENTS: 'things',
      ...settings,
    },
    contexts,
  );
const linesOf = (settings: Readonly<Record<string, string>>): string =>
  configured(settings).match(
    () => '',
    ({ lines }) => lines.join('\n'),
  );

test('[V5] a start is refused if topics may keep unread records longer than deletions are remembered', () => {
  const kept = { DOSKA_RETENTION_MS: '3600000', DOSKA_UNREAD_FACTOR: '3' };
  expect(linesOf({ ...kept, DOSKA_VASGEN_HORIZON_MS: '10800000' })).toContain(
    'DOSKA_VASGEN_HORIZON_MS: above 10800000 (DOSKA_RETENTION_MS times DOSKA_UNREAD_FACTOR)',
  );
  expect(linesOf({ ...kept, DOSKA_VASGEN_HORIZON_MS: '10800001' })).toBe('');
});
test('[V1] a start is refused if the largest document does not fit a record of the index topic', () => {
  const records = { DOSKA_RECORD_BYTES_MAX: '600000' };
  const line = linesOf({ ...records, DOSKA_VASGEN_DOCUMENT_BYTES_MAX: '583617' });
  expect(line).toContain('DOSKA_VASGEN_DOCUMENT_BYTES_MAX: at most 583616');
  expect(linesOf({ ...records, DOSKA_VASGEN_DOCUMENT_BYTES_MAX: '583616' })).toBe('');
});
test('[V6] a start with another number of shards is refused with both numbers, and changes nothing', async () => {
  const start = (shards: string) =>
    startHost(
      'receiver',
      [vasgenReceiver],
      configured({ DOSKA_VASGEN_SHARDS: shards })._unsafeUnwrap().config,
    );
  await (await start('4'))._unsafeUnwrap().stop();
  const refused = (await start('8'))._unsafeUnwrapErr();
  expect(JSON.stringify(refused)).toContain(
    'DOSKA_VASGEN_SHARDS: the queues of things have 4 shards, and 8 are configured',
  );
  await (await start('4'))._unsafeUnwrap().stop();
}, 120_000);
