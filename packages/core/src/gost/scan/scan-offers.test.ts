import { ResultAsync, type Result } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { makePageTokens } from '../../kernel/index.ts';
import { manualClock, memoryDatabase } from '../../kernel/testing.ts';
import { inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import {
  makeScanOffers,
  type ScanOffers,
  type ScanOffersNeeds,
  type ScanPiece,
} from './scan-offers.use-case.ts';

const tokens = makePageTokens({
  sign: (text) => `s${text.length}`,
  verify: (text, seal) => seal === `s${text.length}`,
});
const never = new AbortController().signal;
const OFFERS = 23;

const open = async (more: Partial<ScanOffersNeeds> = {}) => {
  const time = manualClock(0);
  const { offers, scan } = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
  const changes = Array.from({ length: OFFERS }, (_, n) => publication(n));
  await offers.commit([{ changes }]);
  // Time passes by itself: a wait is only noted.
  const waits: number[] = [];
  const clock = {
    ...time.clock,
    after: (ms: number, work: () => void) => (waits.push(ms), queueMicrotask(work), () => {}),
  };
  return { waits, scanOffers: makeScanOffers({ scan, tokens, clock, piece: 4, ...more }) };
};
const seen = async (pieces: ReturnType<Awaited<ReturnType<typeof open>>['scanOffers']>) => {
  const ids: string[] = [];
  let cursor = '';
  for await (const piece of pieces) {
    ids.push(...piece._unsafeUnwrap().views.map(({ id }) => id as string));
    cursor = piece._unsafeUnwrap().cursor;
  }
  return { ids, cursor };
};

const firstOf = async (pieces: ReturnType<ScanOffers>): Promise<Result<ScanPiece, unknown>> =>
  (await pieces.next()).value as Result<ScanPiece, unknown>;

describe('scan', () => {
  test('[G15] parts together are everything, each offer once', async () => {
    const { scanOffers } = await open();
    const parts = await Promise.all([0, 1, 2].map((part) => seen(scanOffers({ parts: 3, part }, never))));
    const ids = parts.flatMap((part) => part.ids);
    expect(ids).toHaveLength(OFFERS);
    expect(new Set(ids).size).toBe(OFFERS);
  });
  test('[G15] a scan that was cut off goes on where it was', async () => {
    const { scanOffers } = await open();
    const all = await seen(scanOffers({ parts: 1, part: 0 }, never));
    const { views, cursor } = (await firstOf(scanOffers({ parts: 1, part: 0 }, never)))._unsafeUnwrap();
    const rest = await seen(scanOffers({ parts: 1, part: 0, cursor }, never));
    expect([...views.map(({ id }) => id as string), ...rest.ids]).toEqual(all.ids);
    expect((await seen(scanOffers({ parts: 1, part: 0, cursor: all.cursor }, never))).ids).toEqual([]);
  });
  test('[G15] it goes no faster than it may', async () => {
    const { scanOffers, waits } = await open({ ratePerSecond: 2 });
    await seen(scanOffers({ parts: 1, part: 0 }, never));
    expect(waits).toEqual(Array(Math.floor(OFFERS / 4)).fill(2_000));
  });
  test('[X12] 200 open scans that are not read hold no read, and together read at most two pieces at a time', async () => {
    const { offers, scan } = inMemoryGostStores(memoryDatabase({ nowMs: () => 0 }));
    await offers.commit([{ changes: Array.from({ length: OFFERS }, (_, n) => publication(n)) }]);
    let running = 0;
    let most = 0;
    let asked = 0;
    const counted: typeof scan = {
      ...scan,
      scan: (range, limit) => {
        asked += 1;
        most = Math.max(most, (running += 1));
        return new ResultAsync(
          new Promise((resolve) => setImmediate(resolve))
            .then(() => scan.scan(range, limit))
            .finally(() => (running -= 1)),
        );
      },
    };
    const scanOffers = makeScanOffers({
      scan: counted,
      tokens,
      clock: manualClock(0).clock,
      piece: 4,
      reads: 2,
    });
    const open = Array.from({ length: 200 }, () => scanOffers({ parts: 1, part: 0 }, never));
    await Promise.all(open.map(firstOf));
    expect({ most, running, asked }).toEqual({ most: 2, running: 0, asked: 200 });
  });
  test.each([
    { query: { parts: 0, part: 0 }, says: 'parts' },
    { query: { parts: 3, part: 3 }, says: 'part' },
    { query: { parts: 5_000, part: 0 }, says: 'parts' },
  ])('[G15] refuses $query and says why', async ({ query, says }) => {
    const { scanOffers } = await open();
    const refused = await firstOf(scanOffers(query, never));
    expect(refused._unsafeUnwrapErr()).toMatchObject({ kind: 'InvalidInput', violations: [{ path: says }] });
  });
  test('[G15] a cursor of another part is refused', async () => {
    const { scanOffers } = await open();
    const { cursor } = (await firstOf(scanOffers({ parts: 1, part: 0 }, never)))._unsafeUnwrap();
    const refused = await firstOf(scanOffers({ parts: 2, part: 0, cursor }, never));
    expect(refused._unsafeUnwrapErr()).toEqual({ kind: 'InvalidPageToken', reason: 'otherQuery' });
  });
});

describe('pieces of large offers', () => {
  test('[X9] a piece that is too large for a client is cut, and every cursor goes on exactly', async () => {
    const time = manualClock(0);
    const { offers, scan } = inMemoryGostStores(memoryDatabase({ nowMs: time.nowMs }));
    for (let n = 0; n < 80; n++) {
      const change = publication(n);
      const content = { ...change.offer.content, description: 'x'.repeat(90_000) };
      await offers.commit([{ changes: [{ ...change, offer: { ...change.offer, content } }] }]);
    }
    const scanOffers = makeScanOffers({ scan, tokens, clock: time.clock });
    const pieces: ScanPiece[] = [];
    for await (const piece of scanOffers({ parts: 1, part: 0 }, never)) pieces.push(piece._unsafeUnwrap());
    const ids = pieces.map(({ views }) => views.map(({ id }) => id as string));
    expect(ids.map(({ length }) => length)).toEqual([34, 34, 12]);
    expect(new Set(ids.flat()).size).toBe(80);
    const rest = await seen(scanOffers({ parts: 1, part: 0, cursor: pieces[0]!.cursor }, never));
    expect(rest.ids).toEqual([...ids[1]!, ...ids[2]!]);
  });
});
