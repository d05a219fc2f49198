import { expect } from 'vitest';
import type { LogRecord, MessageLog } from '../ports/message-log.port.ts';
import { eventually } from './eventually.ts';
import { seededRandom, type SeededRandom } from './seeded-random.ts';

export type ConsumerFuzz = {
  readonly log: MessageLog;
  /** The consumer under test, which must be running. */
  readonly group: string;
  readonly topic: string;
  /** Good records of the contract, and records that are hostile but can be read. All of them are mutated too. */
  readonly samples: readonly Uint8Array[];
  /** The same records in any run. */
  readonly seed: number;
  /** Published behind the bad records, at least one for each partition. */
  readonly good: readonly LogRecord[];
  readonly withinMs?: number;
};

/** Bad records that one run publishes. `DOSKA_FUZZ_RECORDS` sets another number. */
const COUNT = Number(process.env['DOSKA_FUZZ_RECORDS'] ?? 300);
const PAGE = 100;

const bytesOf = (length: number, random: SeededRandom): Uint8Array =>
  Uint8Array.from({ length }, () => random.below(256));
const mutations: readonly ((bytes: Uint8Array, random: SeededRandom) => Uint8Array)[] = [
  (bytes) => bytes,
  (bytes, random) => bytes.map((byte) => (random.chance(3 / (bytes.length + 1)) ? random.below(256) : byte)),
  (bytes, random) => bytes.slice(0, random.below(bytes.length + 1)),
  (bytes, random) => Uint8Array.from([...bytes, ...bytesOf(1 + random.below(20), random)]),
  (bytes, random) => {
    const at = random.below(bytes.length + 1);
    return Uint8Array.from([
      ...bytes.slice(0, at),
      ...bytesOf(1 + random.below(8), random),
      ...bytes.slice(at),
    ]);
  },
  // A length or a number becomes as large as its field allows.
  (bytes, random) => {
    const at = 1 + random.below(bytes.length);
    return Uint8Array.from([
      ...bytes.slice(0, at),
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0xff,
      0x01,
      ...bytes.slice(at + 1),
    ]);
  },
  (_bytes, random) => bytesOf(random.below(200), random),
  (_bytes, random) => Uint8Array.from([1, ...bytesOf(random.below(200), random)]),
];

/**
 * Publishes mutated and random records, and good ones behind them. The group must read all of them: a record that it can
 * not take is rejected or becomes a dead letter, and blocks nothing. The caller then checks that the good ones are applied.
 */
export const consumerFuzz = async (fuzz: ConsumerFuzz): Promise<void> => {
  const { log, group, topic, samples, seed, good, withinMs = 120_000 } = fuzz;
  const random = seededRandom(seed);
  const bad = Array.from({ length: COUNT }, (_, n): LogRecord => {
    const sample = samples[random.below(samples.length)] ?? new Uint8Array();
    const mutation = mutations[n < samples.length ? 0 : random.below(mutations.length)];
    const value = n < samples.length ? samples[n]! : (mutation?.(sample, random) ?? sample);
    return { topic, key: `fuzz-${n}`, value };
  });
  for (let from = 0; from < bad.length; from += PAGE)
    (await log.publish(bad.slice(from, from + PAGE)))._unsafeUnwrap();
  (await log.publish(good))._unsafeUnwrap();
  await eventually(
    async () => {
      const lags = (await log.lag(group, topic))._unsafeUnwrap();
      expect(lags.filter(({ lag }) => lag > 0)).toEqual([]);
    },
    { withinMs, everyMs: 200 },
  );
};
