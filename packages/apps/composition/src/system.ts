import { randomBytes, randomInt } from 'node:crypto';
import type { Clock, Ids, Random } from '@doska/core/kernel';

/** Node runs a timer of more than 2^31 - 1 ms at once. */
const TIMER_MS_MAX = 2_147_483_647;

export const systemClock: Clock = {
  nowMs: () => Date.now(),
  after: (ms, work) => {
    // Node may fire a millisecond early; the port promises not before.
    const timer = setTimeout(work, Math.min(Math.max(0, Math.ceil(ms)) + 1, TIMER_MS_MAX));
    return () => clearTimeout(timer);
  },
};

/** UUID version 7: unique everywhere, and ids made later sort later, which databases like. */
const uuidV7 = (nowMs: number): string => {
  const bytes = randomBytes(16);
  bytes.writeUIntBE(nowMs, 0, 6);
  bytes[6] = 0x70 | (bytes.readUInt8(6) & 0x0f);
  bytes[8] = 0x80 | (bytes.readUInt8(8) & 0x3f);
  const hex = bytes.toString('hex');
  return [hex.slice(0, 8), hex.slice(8, 12), hex.slice(12, 16), hex.slice(16, 20), hex.slice(20)].join('-');
};

export const systemIds: Ids = { next: () => uuidV7(Date.now()) };

export const systemRandom: Random = { below: (n) => randomInt(n) };
