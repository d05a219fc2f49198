import { setTimeout as pause } from 'node:timers/promises';
import kafkajs from 'kafkajs';
import { afterAll, afterEach, beforeAll, describe, expect, test } from 'vitest';
import type { MessageLog } from '@doska/core/kernel';
import { freshTopic, readAll, record, valueOf } from '@doska/core/kernel/testing';
import { noKafka, testBrokers } from '@doska/test-setup/broker';
import { API, frameProxy, producerId, type FrameProxy } from '../testing/frame-proxy.ts';
import { openKafkaLog } from '../testing/open-log.ts';

/** What a network may do to a producer. Each test is red when its remedy is taken out of the lane. */
describe.skipIf(noKafka())('publishing through a bad network', () => {
  let brokers: readonly string[];
  let proxy: FrameProxy;
  let straight: ReturnType<typeof openKafkaLog>;
  beforeAll(async () => {
    brokers = await testBrokers();
    proxy = await frameProxy(brokers[0]!);
    straight = openKafkaLog(brokers);
  }, 120_000);
  afterAll(async () => {
    await straight?.close();
    await proxy?.close();
  });
  afterEach(() => {
    proxy.onRequest = () => 'pass';
    proxy.onAnswer = () => 'pass';
  });
  const topic = async (partitions = 1): Promise<string> => {
    const spec = freshTopic(partitions);
    (await straight.log.ensureTopics([spec]))._unsafeUnwrap();
    return spec.name;
  };
  /** A log behind the proxy that is impatient, so that a lost answer costs little time. */
  const impatient = async (
    settings: Parameters<typeof openKafkaLog>[1] = {},
    use: (log: MessageLog) => Promise<void>,
  ): Promise<void> => {
    const { log, close } = openKafkaLog(brokers, {
      proxyPort: () => proxy.port,
      requestTimeoutMs: 250,
      ...settings,
    });
    await use(log).finally(close);
  };
  const stored = async (name: string, partition = 0): Promise<string[]> =>
    (await readAll(straight.log, name, partition)).map(valueOf);
  const deleteTopic = async (name: string): Promise<void> => {
    const admin = new kafkajs.Kafka({ brokers: [...brokers], logLevel: 0 }).admin();
    await admin.deleteTopics({ topics: [name] });
    await admin.disconnect();
  };
  const loseAnswers = (apiKey: number, times: number, verdict: 'drop' | 'cut' = 'drop'): void => {
    let left = times;
    proxy.onAnswer = (frame) => (frame.apiKey === apiKey && left-- > 0 ? verdict : 'pass');
  };

  test.each(['drop', 'cut'] as const)(
    '[K1] answers lost by %s under 24 callers: no acknowledged record is lost or stored twice, and order is kept',
    async (verdict) => {
      const name = await topic(2);
      // Small sends, so that many wait for their turn while an answer is lost.
      await impatient({ settings: { sendRecordsMax: 2 } }, async (log) => {
        (await log.publish([record(name, 'warm', 'warm', { partition: 0 })]))._unsafeUnwrap();
        let answers = 0;
        proxy.onAnswer = ({ apiKey }) => (apiKey === API.produce && ++answers % 9 === 3 ? verdict : 'pass');
        const acked = await Promise.all(
          Array.from({ length: 24 }, async (_, caller) => {
            const mine: string[] = [];
            for (let n = 0; n < 12; n++) {
              const value = `${caller}:${String(n).padStart(2, '0')}`;
              const sent = await log.publish([record(name, `k${caller}`, value, { partition: caller % 2 })]);
              if (sent.isOk()) mine.push(value);
            }
            return mine;
          }),
        );
        proxy.onAnswer = () => 'pass';
        expect(answers).toBeGreaterThan(9);
        for (const [caller, mine] of acked.entries()) {
          const own = (await stored(name, caller % 2)).filter((value) => value.startsWith(`${caller}:`));
          expect(mine).toHaveLength(12);
          expect(own).toEqual(mine);
        }
      });
    },
  );
  test('[K1] calls in the same tick keep their order', async () => {
    const name = await topic();
    const values = Array.from({ length: 50 }, (_, n) => `v${String(n).padStart(2, '0')}`);
    const { log, close } = openKafkaLog(brokers, { settings: { sendRecordsMax: 1 } });
    (await log.publish([record(name, 'k', 'warm')]))._unsafeUnwrap(); // loads the topic's metadata first
    const sent = await Promise.all(values.map((value) => log.publish([record(name, 'k', value)])));
    await close();
    expect(sent.every((one) => one.isOk())).toBe(true);
    expect(await stored(name)).toEqual(['warm', ...values]);
  });
  test('[K1] a producer is never used again after a failed send, so an acknowledged record is really stored', async () => {
    const name = await topic();
    await impatient({ settings: { sendRetries: 1, producersMax: 1 } }, async (log) => {
      (await log.publish([record(name, 'k', 'warm')]))._unsafeUnwrap();
      loseAnswers(API.produce, 2);
      expect((await log.publish([record(name, 'k', 'A')]))._unsafeUnwrapErr()).toMatchObject({
        kind: 'Unavailable',
        retryable: true,
      });
      (await log.publish([record(name, 'k', 'B')]))._unsafeUnwrap();
      (await log.publish([record(name, 'k', 'C')]))._unsafeUnwrap();
      expect(await stored(name)).toEqual(['warm', 'A', 'B', 'C']);
    });
  });
  test('[K1] records of a failed producer are sent again by the next one, in order', async () => {
    const name = await topic();
    await impatient({ settings: { sendRetries: 1, producersMax: 3 } }, async (log) => {
      loseAnswers(API.produce, 2);
      (await log.publish([record(name, 'k', 'A1'), record(name, 'k', 'A2')]))._unsafeUnwrap();
      (await log.publish([record(name, 'k', 'B')]))._unsafeUnwrap();
      expect([...new Set(await stored(name))]).toEqual(['A1', 'A2', 'B']);
    });
  });
  test('[K2] a producer that could not connect is not used, so nothing is sent without a producer id', async () => {
    const name = await topic();
    const ids: bigint[] = [];
    proxy.onRequest = (frame) => {
      if (frame.apiKey === API.produce) ids.push(producerId(frame));
      return 'pass';
    };
    loseAnswers(API.initProducerId, 2); // two objects that could not connect, and the third
    await impatient({}, async (log) => {
      (await log.publish([record(name, 'k', 'x')]))._unsafeUnwrap();
      (await log.publish([record(name, 'k', 'y')]))._unsafeUnwrap();
    });
    expect(ids.length).toBeGreaterThan(0);
    expect(ids.filter((id) => id < 0n)).toEqual([]);
    expect(await stored(name)).toEqual(['x', 'y']);
  });
  test('[K5] a publish that was given up writes nothing after later records', async () => {
    const name = await topic();
    await impatient({ settings: { sendRetries: 2, producersMax: 1 } }, async (log) => {
      (await log.publish([record(name, 'k', 'warm')]))._unsafeUnwrap();
      proxy.onRequest = ({ apiKey }) => (apiKey === API.produce ? 'drop' : 'pass');
      expect((await log.publish([record(name, 'k', 'OLD')])).isErr()).toBe(true);
      proxy.onRequest = () => 'pass';
      (await log.publish([record(name, 'k', 'NEW')]))._unsafeUnwrap();
      await pause(1_500); // longer than any retry of the old one would pause
      expect(await stored(name)).toEqual(['warm', 'NEW']);
    });
  });
  test('[K5] close waits for the running send and refuses waiting records', async () => {
    const name = await topic();
    const { log, close } = openKafkaLog(brokers, {
      proxyPort: () => proxy.port,
      settings: { sendRecordsMax: 1 },
    });
    (await log.publish([record(name, 'k', 'warm')]))._unsafeUnwrap();
    const sends = ['a', 'b', 'c'].map((value) => log.publish([record(name, 'k', value)]));
    await pause(0);
    await close();
    const outcomes = await Promise.all(sends);
    const acked = ['a', 'b', 'c'].filter((_, at) => outcomes[at]!.isOk());
    expect(await stored(name)).toEqual(['warm', ...acked]);
    expect(outcomes.at(-1)!._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable', retryable: false });
  });
  test('[B6] a deleted topic fails its own records and no others of the same send', async () => {
    const gone = await topic();
    const stays = await topic();
    await impatient({ settings: { lanes: 1, sendRetries: 1, producersMax: 1 } }, async (log) => {
      for (const name of [gone, stays]) (await log.publish([record(name, 'k', 'warm')]))._unsafeUnwrap();
      await deleteTopic(gone);
      const [lost, kept] = await Promise.all(
        [gone, stays].map((name) => log.publish([record(name, 'k', 'x')])),
      );
      expect(lost!.isErr()).toBe(true);
      expect(kept!.isOk()).toBe(true);
      expect(await log.publish([record(gone, 'k', 'y')]).map(() => 'sent')).toMatchObject({
        error: { kind: 'UnknownTopic' },
      });
    });
    expect([...new Set(await stored(stays))]).toEqual(['warm', 'x']);
  });
  test('[K7] a deleted topic does not block sends to a new topic', async () => {
    const gone = await topic();
    const next = await topic();
    await impatient({ settings: { lanes: 1, sendRetries: 1, producersMax: 1 } }, async (log) => {
      (await log.publish([record(gone, 'k', 'x')]))._unsafeUnwrap();
      await deleteTopic(gone);
      (await log.publish([record(next, 'k', 'x')]))._unsafeUnwrap();
    });
    expect(await stored(next)).toEqual(['x']);
  });

  test('[X22] records whose lease ends between two attempts are not sent again, others of the same send are', async () => {
    const name = await topic(1);
    await impatient({ settings: { sendRetries: 1 } }, async (log) => {
      (await log.publish([record(name, 'warm', 'warm')]))._unsafeUnwrap();
      let produces = 0;
      let held = true;
      // The first attempt is lost, with its repetition by the client; the process is paused past the lease before the second attempt.
      proxy.onRequest = (frame) => {
        if (frame.apiKey !== API.produce || ++produces > 2) return 'pass';
        held = false;
        return 'drop';
      };
      const [late, free] = await Promise.all([
        log.publish([record(name, 'a', 'late')], { isHeld: () => held }),
        log.publish([record(name, 'b', 'free')], { isHeld: () => true }),
      ]);
      expect([late.isErr(), free.isErr()]).toEqual([true, false]);
    });
    expect(await stored(name)).toEqual(['warm', 'free']);
  });
});
