import { ok } from 'neverthrow';
import { direct, transact, type Io, type MemoryDatabase } from '../../kernel/testing.ts';
import { REGISTRY_ROWS_MAX } from '../registry/document-registry.port.ts';
import type { Refusal } from '../receiver/refusal.ts';
import type { RefusalStore } from '../receiver/refusal-store.port.ts';
import { below, keyOf } from './memory-rows.ts';

export const inMemoryRefusals = (db: MemoryDatabase, io: Io = direct): RefusalStore => ({
  add: (client, refusals) =>
    transact(db, io, 'vasgen.refuse', { client, count: refusals.length }, (tx) => {
      for (const refusal of refusals) {
        const key = keyOf.refusal(client, refusal.pk, refusal.epoch);
        const old = tx.get<Refusal>('vasgen_refusal', key);
        if (!old || old.atMs <= refusal.atMs) tx.put('vasgen_refusal', key, refusal);
      }
      return ok(undefined);
    }),
  of: (client, pk) =>
    transact(db, io, 'vasgen.refusals', { client, pk }, (tx) =>
      ok(
        tx
          .scan<Refusal>('vasgen_refusal', { ...below(keyOf.refusals(client, pk)), limit: REGISTRY_ROWS_MAX })
          .map(([, refusal]) => refusal)
          .filter((refusal) => refusal.pk === pk),
      ),
    ),
  purge: (client, beforeMs, limit) =>
    transact(db, io, 'vasgen.purgeRefusals', { client, beforeMs }, (tx) => {
      let count = 0;
      for (let after: string | undefined; count < limit;) {
        const page = tx.scan<Refusal>('vasgen_refusal', {
          ...below(client),
          ...(after === undefined ? {} : { after }),
          limit: REGISTRY_ROWS_MAX,
        });
        for (const [key, { atMs }] of page) {
          if (atMs >= beforeMs || count >= limit) continue;
          tx.delete('vasgen_refusal', key);
          count++;
        }
        after = page.at(-1)?.[0];
        if (page.length < REGISTRY_ROWS_MAX) break;
      }
      return ok(count);
    }),
});
