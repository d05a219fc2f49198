import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { MessageLog, Subscription } from '@doska/core/kernel';
import {
  eventually,
  firstSeenByKey,
  freshTopic,
  readAll,
  record,
  recorder,
  valueOf,
} from '@doska/core/kernel/testing';
import {
  endBroker,
  freePort,
  startBroker,
  type StartedBroker,
} from '../../../scripts/parts/kafka-broker.mjs';
import { noKafka, noOwnBroker, testBrokers } from '@doska/test-setup/broker';
import { API, frameProxy } from './testing/frame-proxy.ts';
import { openKafkaLog } from './testing/open-log.ts';
import { secureBroker } from './testing/secure-broker.ts';

const PARTITIONS = 3;
const KEYS = 12;

/** Publishers that publish until told, each record of a key after the one before was acknowledged, as an outbox does. */
const startLoad = (log: MessageLog, topic: string) => {
  const acked = new Map<string, string[]>();
  let isOver = false;
  let ackedAtMs = Date.now();
  const work = Array.from({ length: KEYS }, async (_, k) => {
    const mine: string[] = [];
    acked.set(`k${k}`, mine);
    for (let n = 0; !isOver;) {
      const value = `${k}:${String(n).padStart(6, '0')}`;
      const sent = await log.publish([record(topic, `k${k}`, value, { partition: k % PARTITIONS })]);
      if (sent.isErr()) continue; // not known to be stored: the same again, never the next
      mine.push(value);
      ackedAtMs = Date.now();
      n++;
      await pause(2);
    }
  });
  return {
    acked,
    count: (): number => [...acked.values()].reduce((sum, values) => sum + values.length, 0),
    /** How long after `sinceMs` the first acknowledgement came. */
    recovered: async (sinceMs: number): Promise<number> =>
      eventually(
        () => {
          expect(ackedAtMs).toBeGreaterThan(sinceMs);
          return ackedAtMs - sinceMs;
        },
        { withinMs: 30_000, everyMs: 5 },
      ),
    stop: async (): Promise<void> => {
      isOver = true;
      await Promise.all(work);
    },
  };
};
const sorted = (values: readonly string[]): string[] => [...values].sort();

/** Everything acknowledged is in the log and came to the group; both in the order of each key. */
const verify = async (
  log: MessageLog,
  topic: string,
  acked: ReadonlyMap<string, readonly string[]>,
  members: readonly ReturnType<typeof recorder>[],
): Promise<string> => {
  const stored = (
    await Promise.all(Array.from({ length: PARTITIONS }, (_, p) => readAll(log, topic, p)))
  ).flat();
  const inLog = firstSeenByKey(stored);
  for (const [key, values] of acked) {
    expect(inLog.get(key)).toEqual(sorted(inLog.get(key) ?? []));
    expect(inLog.get(key)).toEqual(expect.arrayContaining([...values]));
  }
  const all = new Set([...acked.values()].flat());
  await eventually(
    () => {
      const came = new Set(members.flatMap(({ values }) => values()));
      expect([...all].filter((value) => !came.has(value))).toEqual([]);
    },
    { withinMs: 30_000 },
  );
  for (const { seen } of members)
    for (const [, values] of firstSeenByKey(seen)) expect(values).toEqual(sorted(values));
  const twice = stored.length - new Set(stored.map(valueOf)).size;
  const deliveries = members.reduce((sum, { seen }) => sum + seen.length, 0);
  return `${all.size} acknowledged, 0 lost, ${twice} stored twice, ${deliveries - stored.length} delivered again`;
};

describe.skipIf(noOwnBroker())('a broker that freezes and dies', () => {
  let dir: string;
  let broker: StartedBroker;
  let secure: ReturnType<typeof secureBroker>;
  let ports: { readonly port: number; readonly controllerPort: number };
  beforeAll(async () => {
    dir = mkdtempSync(join(tmpdir(), `doska-test-kafka-${process.pid}-outage-`));
    ports = { port: await freePort(), controllerPort: await freePort() };
    secure = secureBroker(dir);
    broker = await startBroker({ dir, ...ports, guarded: true, settings: secure.settings });
  }, 120_000);
  afterAll(async () => {
    if (!dir) return;
    await endBroker(dir, 'SIGKILL');
    rmSync(dir, { recursive: true, force: true });
  });

  test('[B15] TLS and login settings reach the client; without them or with wrong ones the connection fails', async () => {
    const { ssl, sasl } = secure.connection;
    const wrong = { ...sasl, password: 'guessed' } as NonNullable<typeof sasl>;
    for (const [connection, isLet] of [
      [{ ssl: ssl!, sasl: sasl! }, true],
      [{ ssl: ssl!, sasl: wrong }, false],
      [{ sasl: sasl! }, false],
    ] as const) {
      const { log, close } = openKafkaLog([broker.address], { secure: connection, requestTimeoutMs: 500 });
      expect((await log.topics()).isOk()).toBe(isLet);
      await close();
    }
  }, 60_000);
  test('[B8] after the broker is frozen, killed and restarted under load, no record is lost, order is kept and both members continue', async () => {
    const clients = Array.from({ length: 3 }, () =>
      openKafkaLog([broker.address], {
        requestTimeoutMs: 1_000,
        secure: secure.connection,
        settings: { sessionMs: 6_000, heartbeatMs: 500, rebalanceMs: 8_000 },
      }),
    );
    const [writer, ...readers] = clients.map(({ log }) => log);
    const { name } = (await writer!.ensureTopics([freshTopic(PARTITIONS)]))._unsafeUnwrap()[0]!;
    const members = readers.map(() => recorder());
    const subscriptions: Subscription[] = readers.map((log, i) =>
      log.subscribe({ group: 'g', topic: name, handler: members[i]!.handler }),
    );
    const load = startLoad(writer!, name);
    await eventually(() => expect(load.count()).toBeGreaterThan(200));

    process.kill(broker.pid, 'SIGSTOP');
    await pause(3_500); // longer than a request may take: the client believes the worst
    const thawedMs = Date.now();
    process.kill(broker.pid, 'SIGCONT');
    const afterFreeze = await load.recovered(thawedMs);
    await pause(300);

    await endBroker(dir, 'SIGKILL');
    broker = await startBroker({ dir, ...ports, guarded: true, settings: secure.settings });
    const readyMs = Date.now();
    const afterKill = await load.recovered(readyMs);
    const before = members.reduce((sum, { seen }) => sum + seen.length, 0);
    await eventually(
      () => expect(members.reduce((sum, { seen }) => sum + seen.length, 0)).toBeGreaterThan(before),
      { withinMs: 30_000 },
    );
    const consumedAgain = Date.now() - readyMs;
    await pause(300);
    await load.stop();
    const outcome = await verify(writer!, name, load.acked, members);
    await Promise.all(subscriptions.map((one) => one.stop()));
    await Promise.all(clients.map(({ close }) => close()));
    console.log(
      `[B8] frozen 3.5 s: publishing again after ${afterFreeze} ms; killed: broker back in ${broker.readyMs} ms, ` +
        `publishing ${afterKill} ms and consuming ${consumedAgain} ms after that; ${outcome}`,
    );
  }, 90_000);
});

describe.skipIf(noKafka())('connections that are cut, members that come and go', () => {
  test('[B8] after cut connections and rebalances under load, no record is lost and order is kept', async () => {
    const [address] = await testBrokers();
    const proxy = await frameProxy(address!);
    const open = () => openKafkaLog([address!], { proxyPort: () => proxy.port, requestTimeoutMs: 2_000 });
    const writer = open();
    const { name } = (await writer.log.ensureTopics([freshTopic(PARTITIONS)]))._unsafeUnwrap()[0]!;
    const members: ReturnType<typeof recorder>[] = [];
    const join = () => {
      const client = open();
      const seen = recorder();
      members.push(seen);
      const subscription = client.log.subscribe({
        group: 'g',
        topic: name,
        handler: async (batch, signal) => {
          await pause(5);
          return signal.aborted ? { kind: 'again' } : seen.handler(batch, signal);
        },
      });
      return { leave: () => subscription.stop().then(client.close) };
    };
    let answers = 0;
    proxy.onAnswer = ({ apiKey }) =>
      apiKey === API.produce || apiKey === API.offsetCommit || apiKey === API.heartbeat
        ? ++answers % 60 === 0
          ? 'cut'
          : 'pass'
        : 'pass';
    const load = startLoad(writer.log, name);
    const first = join();
    const second = join();
    await pause(1_200);
    const third = join();
    await pause(1_200);
    await first.leave();
    await pause(1_200);
    await load.stop();
    proxy.onAnswer = () => 'pass';
    const outcome = await verify(writer.log, name, load.acked, members);
    await Promise.all([second, third].map(({ leave }) => leave()));
    await writer.close();
    await proxy.close();
    expect(answers).toBeGreaterThan(120);
    console.log(`[B8] ${Math.floor(answers / 60)} connections cut: ${outcome}`);
  }, 60_000);
});
