import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { SearcherReport } from '../searcher/searcher-report.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { sampleClient } from './document-samples.ts';
import { openWithClient, type VasgenHarness } from './vasgen-harness.ts';

const client = sampleClient();
const HOUR_MS = 3_600_000;
const report = (searcher: string, offset = 7): SearcherReport => ({
  searcher,
  indexes: [
    { epoch: 1, caughtUp: true, positions: [{ log: 'l', topic: 't', partition: 0, offset }] },
    { epoch: 2, caughtUp: false, positions: [] },
  ],
});

export const searcherRowsContract = (backend: string, harness: VasgenHarness): void => {
  describe(`SearcherRows contract: ${backend}`, () => {
    let stores: VasgenStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, close } = await openWithClient(harness)));
    afterEach(() => close());
    const put = async (one: SearcherReport, of = client) =>
      (await stores.searchers.report(of, one))._unsafeUnwrap();
    const live = async (youngerThanMs = HOUR_MS) =>
      (await stores.searchers.live(client, youngerThanMs))
        ._unsafeUnwrap()
        .map(({ searcher, indexes, ageMs }) => {
          expect(ageMs).toBeGreaterThanOrEqual(0);
          expect(ageMs).toBeLessThan(HOUR_MS);
          return { searcher, indexes };
        });

    test('[V11] the last report of each searcher of a client is listed, by name', async () => {
      await put(report('b'));
      await put(report('a'));
      await put(report('b', 9));
      await put(report('c'), sampleClient('others'));
      expect(await live()).toEqual([report('a'), report('b', 9)]);
    });
    test('[V11] a report is live while it is younger than asked for', async () => {
      await put(report('a'));
      expect(await live(0)).toEqual([]);
      expect(await live()).toHaveLength(1);
    });
    test('[V11] a searcher that stops is not listed; one that is unknown is no error', async () => {
      await put(report('a'));
      await put(report('b'));
      (await stores.searchers.remove(client, 'a'))._unsafeUnwrap();
      (await stores.searchers.remove(client, 'a'))._unsafeUnwrap();
      expect(await live()).toEqual([report('b')]);
    });
    test('[V11] old reports are purged, at most so many', async () => {
      for (const name of ['a', 'b', 'c']) await put(report(name));
      await put(report('z'), sampleClient('others'));
      const purge = async (olderThanMs: number, limit: number) =>
        (await stores.searchers.purge(client, olderThanMs, limit))._unsafeUnwrap();
      expect(await purge(HOUR_MS, 10)).toBe(0);
      expect([await purge(0, 2), await purge(0, 2), await purge(0, 2)]).toEqual([2, 1, 0]);
      expect((await stores.searchers.live(sampleClient('others'), HOUR_MS))._unsafeUnwrap()).toHaveLength(1);
    });
  });
};
