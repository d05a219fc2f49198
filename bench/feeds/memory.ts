import { sleep } from '@doska/core/kernel';
import { clock } from '../gost/samples.ts';
import type { Measured } from '../harness.ts';
import type { FeedFile } from './feed-file.ts';
import { processor, type BenchFeeds } from './system.ts';

const SAMPLE_MS = 20;

/** How much memory a run takes beyond that of an idle process that has run before. */
export const peakMemory = async (system: BenchFeeds, file: FeedFile, warm: FeedFile): Promise<Measured> => {
  await processor(system, warm);
  await sleep(clock, 1_000);
  const idle = process.memoryUsage.rss();
  let most = idle;
  const timer = setInterval(() => (most = Math.max(most, process.memoryUsage.rss())), SAMPLE_MS);
  try {
    const measured = await processor(system, file);
    return { ...measured, plain: { peak_rss_mb_over_idle: Math.max(0.001, (most - idle) / 1e6) } };
  } finally {
    clearInterval(timer);
  }
};
