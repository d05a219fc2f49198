import type { ClientName } from '@doska/core/vasgen';
import { numberOption, runBench, type Variant } from './harness.ts';
import { benchPlatform, publishMany, until } from './search/platform.ts';

const args = process.argv.slice(2);
const offers = numberOption(args, '--offers', 2_000);
const client = 'offers' as ClientName;

// Without the limit that keeps room for live changes: this is about what the pipeline can do.
const platform = await benchPlatform({ DOSKA_VASGEN_BULK_RATE: '1000000' });
const { scheduler, vasgen, searcher } = platform;
const found = async (epoch: number | undefined): Promise<number> => {
  const request = { plan: '', page: { limit: 1 }, ...(epoch === undefined ? {} : { epoch }) };
  const answer = await searcher.execute(client, request);
  return answer.isOk() ? answer.value.total : 0;
};
await publishMany(platform, offers);
await until('the first indexing', async () => (await found(undefined)) === offers);

/** The whole stock as views, read and thrown away. */
const scan: Variant = {
  name: 'scan',
  run: async () => {
    const began = performance.now();
    let seen = 0;
    for (let cursor = ''; ;) {
      const page = (await platform.offers.page(cursor))._unsafeUnwrap();
      seen += page.views.length;
      if (page.next === undefined) break;
      cursor = page.next;
    }
    if (seen !== offers) throw new Error(`the scan has ${seen} offers, not ${offers}`);
    return { value: (offers * 1_000) / (performance.now() - began) };
  },
};
/** The whole stock into a new epoch, until a query of this epoch finds all of it. */
const reindex: Variant = {
  name: 'reindex',
  run: async () => {
    const created = (
      await vasgen.useCases.epochs.change(client, 'create', { isForced: true })
    )._unsafeUnwrap();
    const epoch = Math.max(...created.epochs.map(({ epoch }) => epoch));
    const began = performance.now();
    for (let cursor = ''; !cursor.startsWith('compare/');) {
      const request = { mode: 'reindex', epoch, category: undefined, cursor } as const;
      cursor = (await scheduler.reindexOffers(request))._unsafeUnwrap().nextCursor;
      if (cursor === '') break;
    }
    const sentMs = performance.now() - began;
    await until('the re-index', async () => (await found(epoch)) === offers);
    const seconds = (performance.now() - began) / 1_000;
    (await vasgen.useCases.epochs.change(client, 'cancel', { isForced: true }))._unsafeUnwrap();
    return { value: offers / seconds, figures: { sent_ms: sentMs } };
  },
};

try {
  await runBench({
    name: 'reindex',
    unit: 'offers/s',
    variants: [scan, reindex],
    ratios: [{ name: 'reindex_vs_scan', subject: 'reindex', baseline: 'scan', goal: 0.2, stretch: 0.4 }],
  });
} finally {
  await platform.stop();
}
