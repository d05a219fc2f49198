import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { vasgenIndexer } from '@doska/app-vasgen-indexer';
import { vasgenReceiver } from '@doska/app-vasgen-receiver';
import { vasgenSearcher } from '@doska/app-vasgen-searcher';
import { contexts } from '@doska/app-wiring';
import { VasgenTokens } from '@doska/app-wiring/vasgen';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import type { ClientName, RawDocument } from '@doska/core/vasgen';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { CommandOutput, CommandProblem, CommandResult } from './outcome.ts';
import { makeProgram } from './program.ts';

const client = 'things' as ClientName;
const dataDir = mkdtempSync(join(tmpdir(), 'doska-vasgen-cli-'));
const before = { ...process.env };
let database: FreshDatabase;
let host: RunningHost;
beforeAll(async () => {
  database = await freshDatabase({ max: 2 });
  const settings = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_PARTITIONS: '2',
    DOSKA_VASGEN_CLIENTS: client,
    DOSKA_VASGEN_SHARDS: '4',
    // The first attempt is the last one.
    DOSKA_VASGEN_ATTEMPTS_MAX: '1',
    DOSKA_VASGEN_ARCHIVE_LINGER_MS: '0',
    DOSKA_VASGEN_PROMOTION_WAIT_MS: '25000',
  };
  const { config } = loadConfig(settings, contexts)._unsafeUnwrap();
  host = (await startHost('vasgen', [vasgenReceiver, vasgenIndexer, vasgenSearcher], config))._unsafeUnwrap();
  const roles = [parseRole('operator')._unsafeUnwrap()];
  const token = await host.container.get(Tokens.issueToken)({ subject: 'test', roles, ttlSec: 3_600 });
  Object.assign(process.env, { DOSKA_URL: host.run.grpcAddress, DOSKA_TOKEN: token._unsafeUnwrap() });
  const ready = async () => expect((await fetch(`${host.run.httpUrl}/readyz`)).status).toBe(200);
  await eventually(ready, { withinMs: 60_000 });
}, 120_000);
afterAll(async () => {
  for (const name of ['DOSKA_URL', 'DOSKA_TOKEN'])
    if (before[name] === undefined) delete process.env[name];
    else process.env[name] = before[name];
  await host?.stop();
  await database?.drop();
  rmSync(dataDir, { recursive: true, force: true });
}, 60_000);

/** Runs `doska …` as a shell would, for the client of this test or another one. */
const doska = async (...words: readonly string[]): Promise<CommandResult> => {
  let result: CommandResult | undefined;
  await makeProgram({
    print: (answer) => (result = answer),
    clear: () => undefined,
    signal: new AbortController().signal,
  }).parseAsync([words[0]!, words[1]!, '--client', client, ...words.slice(2)], { from: 'user' });
  return result!;
};
const output = async (...words: readonly string[]): Promise<CommandOutput> =>
  (await doska(...words))._unsafeUnwrap();
const refusal = async (...words: readonly string[]): Promise<CommandProblem> =>
  (await doska(...words))._unsafeUnwrapErr();

const document = (pk: string, version: number): RawDocument => ({
  pk,
  event: 'upsert',
  epoch: 1,
  version,
  composedAtMs: Date.now(),
  fields: [{ name: 'title', kind: 'text', multiple: false, value: `велосипед ${pk}` }],
  embeddings: [],
  expiresAtMs: undefined,
  payload: undefined,
});
const push = async (...documents: readonly RawDocument[]): Promise<void> => {
  const { receiveDocuments } = host.container.get(VasgenTokens.vasgen).useCases;
  const verdicts = (await receiveDocuments(client, documents, 'main'))._unsafeUnwrap();
  expect(verdicts.map(({ kind }) => kind)).toEqual(documents.map(() => 'accepted'));
};
const searchable = (...pks: readonly string[]): Promise<void> =>
  eventually(async () => {
    const request = { plan: '', page: { limit: 100 } };
    const answer = await host.container.get(VasgenTokens.searcher).execute(client, request);
    expect(answer._unsafeUnwrap().hits.map(({ pk }) => pk)).toEqual(expect.arrayContaining([...pks]));
  });

test('[V6] [V7] failed list, dry-run and replay, and vasgen resend', async () => {
  await push(document('good', 1), document('bad', 1));
  await searchable('good', 'bad');
  expect(await output('failed', 'list')).toEqual({ value: [], text: 'No document has failed.' });

  const { rows } = await database.pool.query<{ body: Buffer }>(
    `select body from vasgen.registry where pk = 'bad'`,
  );
  await database.pool.query(`update vasgen.registry set body = '\\x00' where pk = 'bad'`);
  expect((await output('vasgen', 'resend', 'good', 'bad')).text).toBe(
    '2 documents are sent to the index again.',
  );
  await eventually(async () =>
    expect((await output('failed', 'list')).value).toMatchObject([
      { pk: 'bad', epoch: 1, queue: 'emergency', attempts: 1 },
    ]),
  );
  expect((await output('failed', 'list')).text).toContain('the document can not be read');
  expect((await output('failed', 'dry-run')).text).toMatch(/^0 documents can be converted now\.\nbad: the /);
  expect((await output('failed', 'replay', 'bad')).text).toMatch(/^0 documents are sent again\.\nbad: the /);

  await database.pool.query(`update vasgen.registry set body = $1 where pk = 'bad'`, [rows[0]!.body]);
  expect((await output('failed', 'dry-run', 'bad')).text).toBe('1 documents can be converted now.');
  expect((await output('failed', 'list')).value).toHaveLength(1);
  expect((await output('failed', 'replay')).text).toBe('1 documents are sent again.');
  expect((await output('failed', 'list')).value).toEqual([]);

  expect((await output('vasgen', 'resend', '--all')).value).toEqual({ documents: 2 });
  expect((await output('vasgen', 'resend', '--since', '2020-01-31')).value).toEqual({ documents: 2 });
  expect((await output('vasgen', 'resend', '--since', '2100-01-31')).value).toEqual({ documents: 0 });
  for (const wrong of [[], ['good', '--all'], ['--since', 'yesterday']])
    expect((await refusal('vasgen', 'resend', ...wrong)).exitCode).toBe(64);
});

test('[V10] archive ls, cat and replay', async () => {
  await push(document('old', 1));
  const recordsOf = async (): Promise<readonly { readonly pk: string; readonly event: string }[]> => {
    const segments = (await output('archive', 'ls')).value as readonly { readonly id: string }[];
    const found = await Promise.all(segments.map(({ id }) => output('archive', 'cat', id)));
    return found.flatMap(({ value }) => value as { pk: string; event: string }[]);
  };
  const ofOld = async () => (await recordsOf()).filter(({ pk }) => pk === 'old');
  await eventually(async () =>
    expect(await ofOld()).toMatchObject([{ event: 'upsert', fields: { title: 'велосипед old' } }]),
  );
  expect((await output('archive', 'ls', '--to', '2020-01-31')).text).toBe(
    'The archive has nothing in this time.',
  );
  const from = new Date(Date.now() - 3_600_000).toISOString();
  const replayed = (await output('archive', 'replay', '--from', from)).value as { documents: number };
  expect(replayed.documents).toBeGreaterThan(0);
  expect(await refusal('archive', 'replay')).toEqual({ message: 'Say --from TIME.', exitCode: 64 });
  expect((await refusal('archive', 'cat', 'nothing')).exitCode).not.toBe(0);
});

test('[V11] epoch status, create, promote, rollback, finish and cancel', async () => {
  const states = async (...words: readonly string[]): Promise<readonly string[]> =>
    ((await output('epoch', ...words)).value as readonly { epoch: number; state: string }[]).map(
      ({ epoch, state }) => `${epoch} ${state}`,
    );
  expect(await states('status')).toEqual(['1 serving']);
  expect((await refusal('epoch', 'promote')).message).toContain('no epoch is building');
  expect(await states('create')).toEqual(['1 serving', '2 building']);
  await push({ ...document('good', 1), epoch: 2 });
  expect(await states('promote')).toEqual(['1 retained', '2 serving']);
  expect(await states('rollback')).toEqual(['1 serving', '2 retained']);
  expect(await states('finish')).toEqual(['1 serving']);
  const third = (await states('create')).at(-1)!;
  expect(third).toMatch(/building$/);
  expect(await states('cancel')).toEqual(['1 serving']);
  const last = Number((await states('create')).at(-1)!.split(' ')[0]);
  expect(await states('promote', '--force')).toEqual(['1 retained', `${last} serving`]);
  expect((await output('epoch', 'status')).text).toContain('retained');
  // The last one counts.
  expect((await refusal('epoch', 'status', '--client', 'Not A Name')).exitCode).toBe(64);
});
