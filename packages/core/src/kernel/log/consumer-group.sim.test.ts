import { ok } from 'neverthrow';
import { expect, test } from 'vitest';
import type { Delivered, BatchHandler, MessageLog } from '../ports/message-log.port.ts';
import { sleep } from '../ports/clock.port.ts';
import { positionKey, memoryLogServer, type MemoryLogServer } from '../testing/in-memory-log-storage.ts';
import { inMemoryMessageLog } from '../testing/in-memory-message-log.ts';
import type { Env } from '../testing/io.ts';
import { memoryDatabase } from '../testing/memory-database.ts';
import { hunt } from '../testing/simulation/hunt.ts';
import { FAULTS, type Laws, type Scenario, type World } from '../testing/simulation/scenario.ts';
import { simulationTest } from '../testing/simulation/simulation-test.ts';
import { PORTFOLIO } from '../testing/simulation/strategies.ts';

const TOPIC = { name: 't', partitions: 2, retentionMs: 1e9, recordBytesMax: 1_000 };
const VALUES = 6;
const GROUP = 'g';

/** Where handlers leave their effect: the offsets they handled, partition by partition. */
type Effects = { readonly handled: Set<number>[]; broken: string | undefined };

/** The first time an offset is handled, everything before it was handled already. */
const handle = (effects: Effects, { io }: Env, { position, key }: Delivered) =>
  io({ name: 'effects.apply', args: { key, offset: position.offset }, resendable: true }, () => {
    const handled = effects.handled[position.partition]!;
    if (position.offset > 0 && !handled.has(position.offset - 1))
      effects.broken ??= `order: offset ${position.offset} of ${position.partition} before the one in front of it`;
    handled.add(position.offset);
    return ok(undefined);
  });
/** Every outcome that a handler may have; what failed is tried again later. */
const handlerOf =
  (effects: Effects, env: Env): BatchHandler =>
  async ({ records }, signal) => {
    for (const [handled, record] of records.entries()) {
      if (signal.aborted) return { kind: 'again', handled };
      const applied = await handle(effects, env, record);
      if (applied.isOk()) continue;
      if (env.random.below(3) === 2) throw new Error('a handler that throws');
      return { kind: 'blocked', retryAtMs: env.clock.nowMs() + 150, reason: 'no answer', handled };
    }
    return env.random.below(4) === 3 ? { kind: 'again', handled: 1 } : { kind: 'done' };
  };

const publishAll = async (log: MessageLog, { clock }: Env): Promise<void> => {
  for (let n = 0; n < VALUES; n++) {
    const record = { topic: TOPIC.name, key: `v${n}`, value: new Uint8Array(), partition: n % 2 };
    while ((await log.publish([record])).isErr()) await sleep(clock, 300);
  }
};

/** Positions only go forward, and never past a record that is not handled. */
const positionLaw = (server: MemoryLogServer, effects: Effects): (() => string | undefined) => {
  const seen = [0, 0];
  return () => {
    for (let partition = 0; partition < TOPIC.partitions; partition++) {
      const offset = server.positions.get(positionKey(GROUP, TOPIC.name, partition))?.offset ?? 0;
      if (offset < seen[partition]!)
        return `position back: ${partition} from ${seen[partition]} to ${offset}`;
      for (let at = seen[partition]!; at < offset; at++)
        if (!effects.handled[partition]!.has(at)) return `unhandled: ${partition} moved past ${at}`;
      seen[partition] = offset;
    }
    return effects.broken;
  };
};

type Options = {
  readonly mode: 'full' | 'minimal';
  readonly leases?: 'plain' | 'constrained';
  /** Members stop gracefully and come back. */
  readonly restless?: boolean;
  /** A planted bug. */
  readonly handlerOf?: (right: BatchHandler) => BatchHandler;
};
const groupScenario = ({
  mode,
  leases = 'plain',
  restless = false,
  handlerOf: planted = (right) => right,
}: Options): Scenario => ({
  faults: FAULTS,
  wildSteps: 350,
  calmSteps: 5_000,
  build: (world: World): Laws => {
    const { nowMs } = world;
    const server = { ...memoryLogServer(nowMs), leases: memoryDatabase({ nowMs, mode: leases }) };
    const info = { ...TOPIC, log: 'memory:1', times: 'log' as const };
    server.topics.set(TOPIC.name, {
      info,
      partitions: [0, 1].map(() => ({ records: [], base: 0 })),
    });
    const effects: Effects = { handled: [new Set(), new Set()], broken: undefined };
    const logOf = (env: Env): MessageLog =>
      inMemoryMessageLog({
        ...env,
        server,
        mode,
        leaseTimes: { leaseMs: 1_000, beatMs: 300, drainMs: 500 },
        settings: {
          pollMs: 500,
          batchRecordsMax: 2,
          retry: { firstMs: 50, factor: 2, maxMs: 400, jitter: 0 },
        },
      });
    const member = async (env: Env): Promise<void> => {
      for (;;) {
        const handler = planted(handlerOf(effects, env));
        const subscription = logOf(env).subscribe({ group: GROUP, topic: TOPIC.name, handler });
        if (restless) {
          await sleep(env.clock, 900);
          await subscription.stop({ drainMs: 200 });
        }
        const ended = await subscription.ended;
        if (ended.isErr()) throw new Error(`the subscription ended: ${ended.error.kind}`);
      }
    };
    world.process('publisher', (env) => publishAll(logOf(env), env));
    world.process('a', member);
    world.process('b', member, { skewMs: 3_000 });
    const consumed = ({ records }: { readonly records: readonly Delivered[] }, partition: number): boolean =>
      effects.handled[partition]!.size === records.length;
    const published = (): Set<string> =>
      new Set(
        server.topics.get(TOPIC.name)!.partitions.flatMap(({ records }) => records.map(({ key }) => key)),
      );
    return {
      law: positionLaw(server, effects),
      done: () => published().size === VALUES && server.topics.get(TOPIC.name)!.partitions.every(consumed),
    };
  },
});

simulationTest(
  '[B7] a group on the full log handles every record in order and before its position',
  groupScenario({ mode: 'full' }),
);
simulationTest(
  '[B7] a group with constrained leases handles every record in order and before its position',
  groupScenario({ mode: 'full', leases: 'constrained' }),
);
simulationTest(
  '[B7] a group on the minimal log handles every record in order and before its position',
  groupScenario({ mode: 'minimal' }),
);
simulationTest(
  '[B7] a group whose members stop and return handles every record in order and before its position',
  groupScenario({ mode: 'full', restless: true }),
);

const planted: readonly {
  readonly bug: string;
  readonly law: RegExp;
  readonly handlerOf: (right: BatchHandler) => BatchHandler;
}[] = [
  {
    bug: 'a position that moves before the handler',
    law: /^unhandled/,
    handlerOf: (right) => (batch, signal) => {
      void right(batch, signal).catch(() => {});
      return Promise.resolve({ kind: 'done' });
    },
  },
  {
    bug: 'a batch that is handled from its end',
    law: /^order/,
    handlerOf: (right) => (batch, signal) =>
      right({ ...batch, records: [...batch.records].reverse() }, signal),
  },
];
test.each(planted)('[B7] seeds find $bug', async ({ handlerOf: wrong, law }) => {
  const { found } = await hunt(groupScenario({ mode: 'full', handlerOf: wrong }), PORTFOLIO, { count: 200 });
  expect(found?.outcome.failure).toMatch(law);
});
