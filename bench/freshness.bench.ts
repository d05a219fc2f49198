import { numberOption, runBench, type Variant } from './harness.ts';
import { benchPlatform, pause, publishMany, until } from './search/platform.ts';

const args = process.argv.slice(2);
/** Offers that are there, so that a re-index has something to do. */
const stock = numberOption(args, '--offers', 2_000);
const probes = numberOption(args, '--probes', 40);
/** Saves a second beside the probes, of the variant under load. */
const perSecond = numberOption(args, '--saves', 100);

const platform = await benchPlatform();
await publishMany(platform, stock);

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;
const find = async (text: string): Promise<boolean> => {
  const answer = await platform.api.searchOffers({
    text,
    category: '',
    filters: [],
    sort: '',
    near: '',
    pageSize: 1,
    pageToken: '',
    spelling: 'off',
  });
  return answer.isOk() && answer.value.total > 0;
};
let words = 0;
/** Milliseconds from the acknowledged save to the first answer that has the offer. */
const probe = async (): Promise<number> => {
  const word = `probe${Date.now().toString(36)}x${words++}`;
  await platform.publish(`prober-${words % 8}`, word);
  const began = performance.now();
  await until(word, () => find(word), 60_000);
  return performance.now() - began;
};
const measured = async () => {
  const times: number[] = [];
  for (let n = 0; n < probes; n++) times.push(await probe());
  times.sort((a, b) => a - b);
  const [p50, p95, p99] = [0.5, 0.95, 0.99].map((share) => percentile(times, share));
  return { value: 1_000 / p95!, figures: { p50_ms: p50!, p95_ms: p95!, p99_ms: p99! } };
};
/** Runs something beside the probes until they are done. */
const beside = async (work: (isOver: () => boolean) => Promise<void>) => {
  let over = false;
  const working = work(() => over);
  const result = await measured();
  over = true;
  await working;
  return result;
};

const idle: Variant = {
  name: 'saved_to_searchable.idle',
  run: async () => {
    const result = await measured();
    const { p50_ms, p95_ms, p99_ms } = result.figures;
    const plain = {
      'saved_to_searchable_ms.p50': p50_ms,
      'saved_to_searchable_ms.p95': p95_ms,
      'saved_to_searchable_ms.p99': p99_ms,
    };
    return { ...result, plain };
  },
};
const underSaves: Variant = {
  name: 'saved_to_searchable.saves',
  run: () =>
    beside(async (isOver) => {
      const began = performance.now();
      let sent = 0;
      const running = new Set<Promise<void>>();
      while (!isOver()) {
        const due = Math.floor(((performance.now() - began) / 1_000) * perSecond);
        for (; sent < due && running.size < 64; sent++) {
          const one = platform.publish(`saver-${sent % 4_096}`, `background ${sent}`);
          running.add(one);
          void one.finally(() => running.delete(one));
        }
        await pause(10);
      }
      await Promise.all(running);
    }),
};
const underReindex: Variant = {
  name: 'saved_to_searchable.reindex',
  run: () =>
    beside(async (isOver) => {
      for (let cursor = ''; !isOver();) {
        const request = { mode: 'reindex', epoch: undefined, category: undefined, cursor } as const;
        cursor = (await platform.scheduler.reindexOffers(request))._unsafeUnwrap().nextCursor;
      }
    }),
};

try {
  await runBench({
    name: 'freshness',
    unit: '1/s (one over p95)',
    variants: [idle, underSaves, underReindex],
    ratios: [
      {
        name: 'live_under_reindex',
        subject: 'saved_to_searchable.idle',
        baseline: 'saved_to_searchable.reindex',
        goal: 2,
        stretch: 1.3,
        isCost: true,
      },
    ],
  });
} finally {
  await platform.stop();
}
