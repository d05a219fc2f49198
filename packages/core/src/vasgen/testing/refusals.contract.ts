import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import type { Refusal } from '../receiver/refusal.ts';
import type { VasgenStores } from '../vasgen-stores.port.ts';
import { sampleClient } from './document-samples.ts';
import { openWithClient, type VasgenHarness } from './vasgen-harness.ts';

const client = sampleClient();
const refusal = (given: Partial<Refusal> = {}): Refusal => ({
  pk: 'a',
  epoch: 1,
  version: 3,
  timestampMs: 5,
  verdict: 'invalid',
  reason: 'price: this epoch has number here, not text',
  atMs: 100,
  ...given,
});

export const refusalsContract = (backend: string, harness: VasgenHarness): void => {
  describe(`RefusalStore contract: ${backend}`, () => {
    let stores: VasgenStores, close: () => Promise<void>;
    beforeEach(async () => ({ stores, close } = await openWithClient(harness)));
    afterEach(() => close());
    const of = async (pk = 'a') => (await stores.refusals.of(client, pk))._unsafeUnwrap();
    const add = async (...refusals: readonly Refusal[]) =>
      (await stores.refusals.add(client, refusals))._unsafeUnwrap();

    test('[V1] the newest refusal of each document and epoch is kept', async () => {
      await add(refusal(), refusal({ pk: 'a/1' }), refusal({ epoch: 2, verdict: 'unknown_epoch' }));
      await add(refusal({ atMs: 101, verdict: 'too_old', version: 4 }));
      await add(refusal({ atMs: 99, version: 9 }));
      expect(await of()).toEqual([
        refusal({ atMs: 101, verdict: 'too_old', version: 4 }),
        refusal({ epoch: 2, verdict: 'unknown_epoch' }),
      ]);
      expect((await stores.refusals.of(sampleClient('others'), 'a'))._unsafeUnwrap()).toEqual([]);
    });
    test('[V1] old refusals are purged, at most so many', async () => {
      await add(...[1, 2, 3, 4].map((n) => refusal({ pk: `p${n}`, atMs: n })));
      const purge = async (beforeMs: number, limit: number) =>
        (await stores.refusals.purge(client, beforeMs, limit))._unsafeUnwrap();
      expect([await purge(4, 2), await purge(4, 2), await purge(4, 2)]).toEqual([2, 1, 0]);
      expect(await of('p4')).toHaveLength(1);
    });
  });
};
