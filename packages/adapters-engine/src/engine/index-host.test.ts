import { silentTelemetry } from '@doska/core/kernel';
import { realClock } from '@doska/core/kernel/testing';
import { plainAnalyzer, upsert } from '@doska/core/vasgen/testing';
import { expect, test } from 'vitest';
import { SearchIndex } from '../index/search-index.ts';
import type { IndexImage } from '../snapshot/index-image.ts';
import type { SnapshotStore } from '../snapshot/snapshot-store.ts';
import { sampleSpec } from '../testing/engine-probe.ts';
import { IndexHost } from './index-host.ts';

const BATCH = 20_000;

test('[X14] a snapshot in the middle of a large batch does not have the position of the batch', async () => {
  const index = new SearchIndex({ spec: sampleSpec, analyzer: plainAnalyzer, horizonMs: 1_000 });
  let applied = 0;
  const apply = index.apply.bind(index);
  index.apply = (change, nowMs) => {
    applied += 1;
    return apply(change, nowMs);
  };
  const saved: { readonly applied: number; readonly positions: IndexImage['positions'] }[] = [];
  const store = { save: async ({ positions }: IndexImage) => void saved.push({ applied, positions }) };
  const before = { log: 'l', topic: 't', partition: 0, offset: 1 };
  const after = { ...before, offset: 2 };
  const host = new IndexHost(
    index,
    [before],
    { clock: realClock, logger: silentTelemetry.logger, snapshotChanges: Infinity },
    { store: store as unknown as SnapshotStore, folder: '' },
  );
  let isDone = false;
  const changes = Array.from({ length: BATCH }, (_, n) => upsert(`d${n}`, { title: `диван ${n}` }));
  const applying = host.apply(changes, { positions: [after] }).then(() => (isDone = true));
  while (!isDone) {
    await new Promise((resolve) => setImmediate(resolve));
    await host.snapshot();
  }
  await applying;
  await host.snapshot();
  expect(saved.filter((one) => one.applied > 0 && one.applied < BATCH).length).toBeGreaterThan(0);
  for (const one of saved) expect(one.positions).toEqual([one.applied < BATCH ? before : after]);
});
