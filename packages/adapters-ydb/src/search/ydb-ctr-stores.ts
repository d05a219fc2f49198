import type { OfferId } from '@doska/core/gost';
import { CTR_ROWS_MAX, type ClickRateStore, type CtrQueue, type CtrStores } from '@doska/core/search';
import type { YdbClient } from '../driver/client.ts';
import type { RowOf } from '../driver/column-type.ts';
import { allBuckets, bucketOf } from '../schema/buckets.ts';
import type { ctrQueue } from '../schema/search-tables.ts';
import { COUNTED_AT_ONCE, countSlices } from './count-slices.ts';
import {
  CTR_ADD,
  CTR_BEHIND,
  CTR_COUNT,
  CTR_OF_SOURCE,
  CTR_REMOVE,
  RATES_COUNT,
  RATES_DELETE,
  RATES_NEXT_EPOCH,
  RATES_OF,
  RATES_OF_EPOCH,
  RATES_PUT,
} from './search-queries.ts';

type Element = RowOf<typeof ctrQueue.columns>;
type RateKey = { readonly bucket: number; readonly epoch_ms: number; readonly offer: string };
const most = (limit: number): number => Math.min(limit, CTR_ROWS_MAX);
const keyOf = (epochMs: number, offer: string): RateKey => ({
  bucket: bucketOf(offer),
  epoch_ms: epochMs,
  offer,
});

const ydbClickRates = (client: YdbClient): ClickRateStore => ({
  put: (epochMs, rates) =>
    client.write(
      'ctr.put',
      async (tx) => {
        const put = rates.map(({ offerId, ctr }) => ({ ...keyOf(epochMs, offerId), rate: String(ctr) }));
        if (put.length > 0) await tx.commit(RATES_PUT, { rates: put });
      },
      { idempotent: true },
    ),
  rates: (epochMs, ids) =>
    client.read('ctr.rates', async (tx) => {
      const found = new Map<OfferId, number>();
      const asked = [...new Set(ids)];
      for (let from = 0; from < asked.length; from += CTR_ROWS_MAX) {
        const keys = asked.slice(from, from + CTR_ROWS_MAX).map((id) => keyOf(epochMs, id));
        const ask = from + CTR_ROWS_MAX < asked.length ? tx.run : tx.commit;
        const [rows] = await ask(RATES_OF, { keys });
        for (const { offer, rate } of rows) found.set(offer as OfferId, Number(rate));
      }
      return found;
    }),
  count: (epochMs) =>
    client.read('ctr.count', async (tx) => {
      let count = 0;
      for (const bucket of allBuckets)
        count += await countSlices(async (after) => {
          const asked = { bucket, epoch_ms: epochMs, after, limit: COUNTED_AT_ONCE };
          return (await tx.run(RATES_COUNT, asked))[0][0];
        });
      return count;
    }),
  nextEpoch: (afterMs) =>
    client.read('ctr.nextEpoch', async (tx) => {
      const epochs: number[] = [];
      for (const bucket of allBuckets)
        for (const { epoch_ms } of (await tx.run(RATES_NEXT_EPOCH, { bucket, after: afterMs }))[0])
          epochs.push(epoch_ms);
      return epochs.sort((a, b) => a - b)[0];
    }),
  // An epoch that is purged is not written any more, so the keys may be read before the transaction.
  purge: (epochMs, limit) =>
    client
      .read('ctr.purgeable', async (tx) => {
        const keys: RateKey[] = [];
        for (const bucket of allBuckets) {
          const rest = most(limit) - keys.length;
          if (rest <= 0) break;
          keys.push(...(await tx.run(RATES_OF_EPOCH, { bucket, epoch_ms: epochMs, limit: rest }))[0]);
        }
        return keys;
      })
      .andThen((keys) =>
        client.write(
          'ctr.purge',
          async (tx) => {
            if (keys.length > 0) await tx.commit(RATES_DELETE, { keys });
            return keys.length;
          },
          { idempotent: true },
        ),
      ),
});

const ydbCtrQueue = (client: YdbClient): CtrQueue => ({
  add: (source, ids) =>
    client.write(
      'ctr.enqueue',
      async (tx) => {
        const elements = [...new Set(ids)].map((offer) => ({ source, offer }));
        if (elements.length > 0) await tx.commit(CTR_ADD, { elements });
      },
      { idempotent: true },
    ),
  next: (after, limit) =>
    client.read('ctr.next', async (tx) => {
      const found: Element[] = [];
      if (after) {
        const asked = { source: after.table, after: after.offerId, limit: most(limit) };
        found.push(...(await tx.run(CTR_OF_SOURCE, asked))[0]);
      }
      const rest = most(limit) - found.length;
      if (rest > 0)
        found.push(...(await tx.commit(CTR_BEHIND, { source: after?.table ?? '', limit: rest }))[0]);
      return found.map(({ source, offer }) => ({ table: source, offerId: offer as OfferId }));
    }),
  remove: (elements) =>
    client.write(
      'ctr.dequeue',
      async (tx) => {
        const named = new Map(
          elements.map(({ table, offerId }) => [
            JSON.stringify([table, offerId]),
            { source: table, offer: offerId },
          ]),
        );
        if (named.size > 0) await tx.commit(CTR_REMOVE, { elements: [...named.values()] });
      },
      { idempotent: true },
    ),
  count: () =>
    client.read('ctr.queued', async (tx) => {
      let count = 0;
      for (let before = ''; ;) {
        const [[next]] = await tx.run(CTR_BEHIND, { source: before, limit: 1 });
        if (!next) return count;
        const { source } = next;
        count += await countSlices(async (after) => {
          const [[slice]] = await tx.run(CTR_COUNT, { source, after, limit: COUNTED_AT_ONCE });
          return slice;
        });
        before = source;
      }
    }),
});

/** Click rates and the queue of offers on one database. */
export const ydbCtrStores = (client: YdbClient): CtrStores => ({
  rates: ydbClickRates(client),
  queue: ydbCtrQueue(client),
});
