import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { searchUpkeepClient, type GrpcChannel, type ToldFinding } from '@doska/adapters-grpc';
import { eventually } from '@doska/core/kernel/testing';
import type { AppProcess } from '@doska/test-setup/app-process';
import { noOwnBroker } from '@doska/test-setup/broker';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { endBroker, freePort, startBroker } from '../../../../scripts/parts/kafka-broker.mjs';
import { expectIndexed, offersUnderLoad } from './testing/offers-under-load.ts';
import { startSearchProcesses, type SearchProcesses } from './testing/search-processes.ts';

const isLong = process.env['DOSKA_TEST_LONG'] !== undefined;
const PLAN = isLong ? { offers: 300, perSecond: 100 } : { offers: 25, perSecond: 25 };
const ROUNDS = isLong ? 3 : 1;
/** The audit passes over younger changes: they may still be on their way. */
const AUDIT_FROM_MS = 11_000;

const auditOf = async (channel: GrpcChannel): Promise<readonly ToldFinding[]> => {
  const findings: ToldFinding[] = [];
  for (let cursor = ''; ;) {
    const asked = { mode: 'audit', epoch: 0, category: '', cursor } as const;
    const slice = (await searchUpkeepClient(channel).reindex(asked))._unsafeUnwrap();
    findings.push(...slice.findings);
    cursor = slice.nextCursor;
    if (cursor === '') return findings;
  }
};

// A broker of its own: on a shared one the topics and groups of other tests have the same names.
describe.skipIf(noOwnBroker())('every app as a process of its own, on PostgreSQL and Kafka', () => {
  let dir: string;
  let database: FreshDatabase;
  let apps: SearchProcesses;
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), `doska-test-kafka-${process.pid}-search-`));
    const ports = { port: await freePort(), controllerPort: await freePort() };
    const [broker, fresh] = await Promise.all([
      startBroker({ dir, ...ports, guarded: true }),
      freshDatabase({ max: 2 }),
    ]);
    database = fresh;
    apps = await startSearchProcesses({ databaseUrl: fresh.url, brokers: [broker.address] });
  }, 240_000);
  afterAll(async () => {
    await apps?.stop();
    await database?.drop();
    if (!dir) return;
    await endBroker(dir, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  }, 60_000);

  test('[S1] [S4] [V3] after kill -9 of one process of each app under load, every index holds what the offer store holds', async () => {
    const { gostApi, receiver } = apps;
    const load = offersUnderLoad(
      { url: () => gostApi.run().httpUrl, token: () => gostApi.run().token },
      PLAN,
    );
    await load.published();
    const again = async (app: AppProcess): Promise<void> => {
      await app.kill();
      await app.start();
    };
    for (let round = 0; round < ROUNDS; round++) {
      const one = (pair: readonly AppProcess[]) => pair[round % 2]!;
      // One of each pair is gone for a while, and the other takes its work over.
      const pairs = [
        apps.gostSchedulers,
        apps.searchSchedulers,
        apps.indexers,
        apps.searchers,
        apps.searchApis,
      ];
      await Promise.all(pairs.map((pair) => one(pair).kill()));
      await load.goesOn();
      await Promise.all([...pairs.map((pair) => one(pair).start()), again(gostApi), again(receiver)]);
      await load.goesOn();
    }
    await load.end();
    const endedAtMs = Date.now();
    const stored = await load.stored();
    for (const searcher of apps.searchers) {
      const channel = apps.channelTo(searcher);
      await expectIndexed(() => channel, stored);
    }
    const active = [...stored.values()].filter(({ status }) => status === 'OFFER_STATUS_ACTIVE');
    for (const api of apps.searchApis)
      await eventually(async () => {
        const answer = await fetch(`${api.run().httpUrl}/v1/search?text=degu`);
        expect([answer.status, await answer.json()]).toMatchObject([200, { total: String(active.length) }]);
      });
    await pause(endedAtMs + AUDIT_FROM_MS - Date.now());
    for (const scheduler of apps.searchSchedulers)
      expect(await auditOf(apps.channelTo(scheduler))).toEqual([]);
  }, 600_000);
});
