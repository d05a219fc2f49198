import { spawn, type ChildProcess } from 'node:child_process';
import { createHash } from 'node:crypto';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { grpcChannel, searcherClient, type GrpcChannel } from '@doska/adapters-grpc';
import { pgVasgenStores } from '@doska/adapters-pg';
import {
  DocumentEvent,
  VerdictKind,
  type RawDocument,
} from '@doska/adapters-proto/generated/doska/vasgen/v1/document';
import { ReceiverServiceDefinition } from '@doska/adapters-proto/generated/doska/vasgen/v1/receiver_service';
import { systemClock } from '@doska/app-composition';
import type { ClientName } from '@doska/core/vasgen';
import { eventually, realRandom } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { indexDigest, registryDigest } from './testing/index-digest.ts';

/** The built apps as processes of their own, killed in earnest. */
const MAIN = fileURLToPath(new URL('../../platform/dist/main.js', import.meta.url));
const client = 'things' as ClientName;
const DOCUMENTS = 60;

let database: FreshDatabase;
const folders: string[] = [];
const children = new Set<ChildProcess>();
/** Closed at the end: a call on a closed channel throws. */
const channels: GrpcChannel[] = [];
beforeAll(async () => {
  database = await freshDatabase({ max: 4 });
});
afterAll(async () => {
  for (const channel of channels) channel.close();
  for (const child of children) child.kill('SIGKILL');
  await database?.drop();
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

type Running = { readonly child: ChildProcess; readonly channel: () => GrpcChannel };
/** An app on a data folder of its own. A second start on the same folder finds its secrets and its index. */
const startApp = async (app: string, dataDir: string): Promise<Running> => {
  rmSync(join(dataDir, 'run.json'), { force: true });
  const clean = Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name));
  const env = {
    ...Object.fromEntries(clean),
    DATABASE_URL: database.url,
    DOSKA_PROFILE: 'embedded',
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_PARTITIONS: '2',
    DOSKA_VASGEN_CLIENTS: client,
    DOSKA_VASGEN_SHARDS: '4',
    DOSKA_VASGEN_SNAPSHOT_CHANGES: '100',
    DOSKA_VASGEN_ARCHIVE_LINGER_MS: '100',
    DOSKA_LEASE_MS: '1200',
    DOSKA_HEARTBEAT_MS: '150',
    DOSKA_LOG_LEVEL: 'error',
  };
  const child = spawn(process.execPath, [MAIN, app], { env, stdio: ['ignore', 'ignore', 'inherit'] });
  children.add(child);
  const run = await eventually(
    () =>
      JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { grpcAddress: string; token: string },
    { withinMs: 60_000 },
  );
  const channel = grpcChannel({ target: run.grpcAddress, clock: systemClock, token: run.token });
  channels.push(channel);
  return { child, channel: () => channel };
};
const folderOf = (app: string): string => {
  const folder = mkdtempSync(join(tmpdir(), `doska-kill-${app}-`));
  folders.push(folder);
  return folder;
};
const killed = async ({ child }: Running): Promise<void> => {
  const gone = new Promise((resolve) => child.once('exit', resolve));
  child.kill('SIGKILL');
  children.delete(child);
  await gone;
};

const documentOf = (pk: string, version: number): RawDocument => {
  const isDelete = version % 7 === 0;
  return {
    pk,
    event: isDelete ? DocumentEvent.DOCUMENT_EVENT_DELETE : DocumentEvent.DOCUMENT_EVENT_UPSERT,
    epoch: 1n,
    version: BigInt(version),
    modifyTimestampMs: BigInt(Date.now()),
    fields: isDelete ? [] : [{ name: 'version', value: { $case: 'number', value: version } }],
    embeddings: [],
    expiresAtMs: undefined,
    payload: undefined,
  };
};

type SegmentColumns = {
  readonly partition: number;
  readonly from_offset: string;
  readonly to_offset: string;
  readonly hash: string;
};
/** Records of the archive in each partition. Fails if one is missing, is there twice, or has no whole blob. */
const archivedIn = async (dataDir: string): Promise<readonly number[]> => {
  const { rows } = await database.pool.query<SegmentColumns>(
    'select partition, from_offset, to_offset, hash from vasgen.archive_segment order by partition, from_offset',
  );
  const blobs = join(dataDir, 'blobs');
  const files = readdirSync(blobs, { recursive: true, encoding: 'utf8' });
  const ends = [0, 0];
  for (const { partition, from_offset, to_offset, hash } of rows) {
    expect(Number(from_offset)).toBe(ends[partition]);
    const file = files.find((path) => basename(path) === hash);
    expect(file).toBeDefined();
    // A file that was half written would have another hash.
    expect(
      createHash('sha256')
        .update(readFileSync(join(blobs, file!)))
        .digest('hex'),
    ).toBe(hash);
    ends[partition] = Number(to_offset) + 1;
  }
  return ends;
};

test('[V3] [V7] [V8] [V10] kill -9 of receiver, indexer and searcher under load loses nothing that was acknowledged; index and registry have one digest', async () => {
  const apps = ['vasgen-receiver', 'vasgen-indexer', 'vasgen-searcher'] as const;
  const dirs = new Map(apps.map((app) => [app, folderOf(app)] as const));
  const running = new Map<string, Running>();
  for (const app of apps) running.set(app, await startApp(app, dirs.get(app)!));
  /** The newest version of each document that the receiver has acknowledged, and the newest that was sent. */
  const acknowledged = new Map<string, number>();
  const sent = new Map<string, number>();
  let isOver = false;
  const write = async (n: number): Promise<void> => {
    const pk = `d${n}`;
    for (let version = 1; !isOver; version++) {
      sent.set(pk, version);
      const receiver = running.get('vasgen-receiver')?.channel().client(ReceiverServiceDefinition);
      const answer = await receiver?.pushBatch(
        { client, documents: [documentOf(pk, version)], bulk: n % 3 === 0 },
        { deadlineMs: 2_000 },
      );
      if (answer?.isOk() && answer.value.verdicts[0]?.kind === VerdictKind.VERDICT_KIND_ACCEPTED)
        acknowledged.set(pk, version);
      await new Promise((resolve) => setTimeout(resolve, 50 + realRandom.below(100)));
    }
  };
  const writers = Promise.all(Array.from({ length: DOCUMENTS }, (_, n) => write(n)));
  await eventually(() => expect(acknowledged.size).toBe(DOCUMENTS), { withinMs: 60_000 });
  for (const app of apps) {
    await killed(running.get(app)!);
    running.set(app, await startApp(app, dirs.get(app)!));
  }
  await Promise.all(apps.map((app) => killed(running.get(app)!)));
  for (const app of apps) running.set(app, await startApp(app, dirs.get(app)!));
  const before = new Map(acknowledged);
  await eventually(
    () =>
      expect([...acknowledged].filter(([pk, version]) => version > before.get(pk)!).length).toBe(DOCUMENTS),
    { withinMs: 60_000 },
  );
  isOver = true;
  await writers;
  await eventually(
    async () => {
      const searcher = searcherClient(running.get('vasgen-searcher')!.channel());
      const answer = await searcher.execute(client, { plan: '', page: { limit: 1_000 } });
      const alive = new Map(answer._unsafeUnwrap().hits.map(({ pk, freshness }) => [pk, freshness.version]));
      for (const [pk, version] of acknowledged) {
        const found = alive.get(pk);
        // A document whose answer was lost may stand, too; nothing older than what was acknowledged may.
        if (found === undefined) expect([version, sent.get(pk)!].some((one) => one % 7 === 0)).toBe(true);
        else expect(found).toBeGreaterThanOrEqual(version);
      }
    },
    { withinMs: 60_000, everyMs: 200 },
  );
  const stores = pgVasgenStores(database.pool);
  await eventually(
    async () =>
      expect(await indexDigest(running.get('vasgen-searcher')!.channel(), client, 1)).toEqual(
        await registryDigest(stores, client, 1),
      ),
    { withinMs: 60_000, everyMs: 200 },
  );
  const headsOf = async (): Promise<readonly number[]> => {
    const { rows } = await database.pool.query<{ head: string }>(
      `select max(b.last_off) + 1 as head from log_batch b join log_topic t on t.id = b.topic
       where t.name = $1 group by b.part order by b.part`,
      [`vasgen-${client}-index`],
    );
    return rows.map(({ head }) => Number(head));
  };
  await eventually(
    async () => expect(await archivedIn(dirs.get('vasgen-indexer')!)).toEqual(await headsOf()),
    {
      withinMs: 30_000,
    },
  );
}, 480_000);
