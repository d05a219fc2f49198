import { setTimeout as pause } from 'node:timers/promises';
import { openWorkerEngine } from '@doska/adapters-engine';
import type { Searcher, Vasgen } from '@doska/core/vasgen';
import { analyzerModule, freshDir, removeDir } from '../engine/own.ts';
import type { Measured } from '../harness.ts';
import { indexing } from './drain.ts';
import { client, documentOf } from './product.ts';

const PROBES = 100;
const PATIENCE_MS = 30_000;
let version = 1_000_000;

const percentile = (sorted: readonly number[], share: number): number =>
  sorted[Math.min(sorted.length - 1, Math.floor(sorted.length * share))]!;

/** Receiver, indexers and a searcher with its engine in one process, over PostgreSQL's log, as in the embedded profile. */
export const visibility = async (vasgen: Vasgen) => {
  const dir = freshDir();
  const blocked = { blocked: () => undefined, freed: () => undefined };
  const engines = {
    open: () =>
      openWorkerEngine({ analyzer: analyzerModule, dir })
        .map((engine) => ({ engine, ended: engine.ended }))
        .mapErr((error) => {
          throw new Error(JSON.stringify(error));
        }),
  };
  const searcher: Searcher = vasgen.openSearcher({ id: 'bench', engines, blocked });
  const over = new AbortController();
  const running = searcher.run(over.signal);
  const indexers = indexing(vasgen);
  const untilMs = performance.now() + 120_000;
  while (searcher.missing() !== undefined) {
    if (performance.now() > untilMs) throw new Error(`the searcher says: ${searcher.missing()}`);
    await pause(20);
  }
  const { receiveDocuments } = vasgen.useCases;
  /** The time from the acknowledgement of a document to the first query that finds it. */
  const probe = async (at: number): Promise<number> => {
    const word = `probe${version}x${at}`;
    const title = { name: 'title', kind: 'text' as const, multiple: false, value: word };
    const document = { ...documentOf(word, 1), fields: [title] };
    (await receiveDocuments(client, [document], 'main'))._unsafeUnwrap();
    const acceptedMs = performance.now();
    for (;;) {
      const answer = await searcher.execute(client, { plan: '', text: { words: word }, page: { limit: 1 } });
      if (answer._unsafeUnwrap().hits.length > 0) return performance.now() - acceptedMs;
      if (performance.now() - acceptedMs > PATIENCE_MS) throw new Error(`${word} is not found`);
      await pause(1);
    }
  };
  const measure = async (perSecond: number): Promise<Measured> => {
    version++;
    let isOver = false;
    let sent = 0;
    const load = async (): Promise<void> => {
      const startedMs = performance.now();
      for (let batch = 0; !isOver && perSecond > 0; batch++) {
        const documents = Array.from({ length: 20 }, (_, at) =>
          documentOf(`offer-${(batch * 20 + at) % 20_000}`, version),
        );
        sent += (await receiveDocuments(client, documents, 'main'))._unsafeUnwrap().length;
        await pause(Math.max(0, startedMs + ((batch + 1) * 20_000) / perSecond - performance.now()));
      }
    };
    const loading = load();
    const startedMs = performance.now();
    const times: number[] = [];
    for (let at = 0; at < PROBES; at++) {
      times.push(await probe(at));
      await pause(20);
    }
    isOver = true;
    await loading;
    const sorted = times.toSorted((a, b) => a - b);
    const of = perSecond === 0 ? 'idle' : `at_${perSecond}`;
    const plain = Object.fromEntries(
      [50, 95, 99].map((p) => [`accepted_to_visible_ms.${of}.p${p}`, percentile(sorted, p / 100)]),
    );
    const rate = sent / ((performance.now() - startedMs) / 1_000);
    return {
      value: 1_000 / percentile(sorted, 0.95),
      plain: perSecond === 0 ? plain : { ...plain, [`${of}.received_s`]: rate },
    };
  };
  return {
    measure,
    stop: async (): Promise<void> => {
      over.abort('stop');
      await indexers.stop();
      await running;
      removeDir(dir);
    },
  };
};
