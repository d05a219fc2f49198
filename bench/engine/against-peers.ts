import { cpSync } from 'node:fs';
import { russianEnglishAnalyzer } from '@doska/adapters-text';
import type { EmbeddedEngine } from '@doska/adapters-engine';
import { openEcho } from './echo.ts';
import { fieldsOf, queryOf, type BenchQuery } from './corpus.ts';
import { minisearchPeer } from './minisearch.ts';
import { freshDir, loadNumbers, name, openInThread, openInWorker, ownPeer, removeDir } from './own.ts';
import type { Peer, PeerDocument } from './peer.ts';
import { pgPeer } from './pg.ts';
import { sqlitePeer } from './sqlite.ts';
import { latenciesUnderWrites } from './under-writes.ts';
import { numberOption, runBench, type Ratio, type Variant } from '../harness.ts';
import { spread } from '../statistics.ts';

const args = process.argv.slice(2);
const documents = numberOption(args, '--docs', 200_000);
/** A peer that keeps everything as objects is not run where it takes gigabytes. */
const MINISEARCH_DOCUMENTS_MAX = 200_000;
const KINDS = ['q1', 'q2', 'q3'] as const;
const QUERIES = { q1: 100, q2: 60, q3: 10 } as const;
/** Peers that take a second for a broad query are asked less often. */
const PEER_QUERIES = { q1: 40, q2: 20, q3: 3 } as const;

const analyzer = russianEnglishAnalyzer();
const stemmed = (text: unknown): string => analyzer.terms(text as string).join(' ');
function* corpus(): Iterable<PeerDocument> {
  for (let number = 0; number < documents; number++) {
    const fields = fieldsOf(number, 1);
    yield { number, fields, title: stemmed(fields['title']), description: stemmed(fields['description']) };
  }
}
const stemsOf = ({ words = [] }: BenchQuery): readonly string[] => words.map(stemmed);

const say = (line: string): void => console.error(line);
const load = async (peer: Peer): Promise<void> => {
  const began = performance.now();
  await peer.load(corpus());
  say(`  ${peer.name}: ${documents} documents in ${((performance.now() - began) / 1000).toFixed(1)} s`);
};

/** The median time of a class of queries, as a rate. A peer's every answer is compared with ours. */
const timed = (peer: Peer, kind: BenchQuery['kind'], count: number): Variant => ({
  name: `${peer.name}.${kind}`,
  run: async (round) => {
    const times: number[] = [];
    for (let at = 0; at < count; at++) {
      const query = queryOf(kind, round * 1000 + at);
      const stems = stemsOf(query);
      const began = performance.now();
      const answer = await peer.query(query, stems);
      times.push(performance.now() - began);
      if (!peers.includes(peer)) continue;
      const expected = await own.query(query, stems);
      if (JSON.stringify(answer) !== JSON.stringify(expected))
        throw new Error(`${peer.name} ${kind}: ${JSON.stringify(answer)}, ours ${JSON.stringify(expected)}`);
    }
    const ms = spread(times).median;
    return { value: 1000 / ms, figures: { ms } };
  },
});

/** Above everything that was written before, whatever order the rounds come in: a stale change is no work. */
let newest = 1;
const underWrites = (
  engine: Pick<EmbeddedEngine, 'apply' | 'execute'>,
  upsertsASecond: number,
  prefix: string,
): Variant => ({
  name: `${prefix}under ${upsertsASecond} upserts/s`,
  run: async () => {
    const load = { documents, upsertsASecond, seconds: 8, version: ++newest };
    const { p50, p99, applied } = await latenciesUnderWrites(engine, load);
    const plain = {
      [`${prefix}p50_ms`]: p50,
      [`${prefix}p99_ms`]: p99,
      [`${prefix}upserts_applied_s`]: applied / 8,
    };
    return { value: 1000 / p99, plain };
  },
});

const dir = freshDir();
const engine = await openInThread(dir);
const own = ownPeer(engine, documents);
await load(own);
(await engine.snapshot(name))._unsafeUnwrap();
const peers: Peer[] = [];
if (!args.includes('--no-sqlite')) peers.push(sqlitePeer());
if (!args.includes('--no-pg')) peers.push(await pgPeer());
if (documents <= MINISEARCH_DOCUMENTS_MAX && !args.includes('--no-minisearch')) peers.push(minisearchPeer());
for (const peer of peers) await load(peer);
for (let warm = 0; warm < 200; warm++) for (const kind of KINDS) await own.query(queryOf(kind, warm), []);

/** The folder itself belongs to the engine that serves. */
const copy = freshDir();
cpSync(`${dir}/${name}`, `${copy}/${name}`, { recursive: true });
const restart: Variant = {
  name: 'restart',
  run: async () => {
    const began = performance.now();
    const again = await openInThread(copy);
    const ms = performance.now() - began;
    const [info] = (await again.indexes())._unsafeUnwrap();
    if (info?.documents !== documents) throw new Error(`${info?.documents} documents after a restart`);
    await again.close();
    return { value: 1000 / ms, plain: { restart_ms: ms, bytes_per_document: info.bytesPerDocument } };
  },
};

/** As apps run it: in a thread, under a stream of changes. */
const workerDir = freshDir();
const underLoad = async (): Promise<{ readonly variants: readonly Variant[]; close(): Promise<void> }> => {
  const inWorker = await openInWorker(workerDir);
  const echo = openEcho();
  await loadNumbers(inWorker, documents);
  const threaded: Peer = { ...ownPeer(inWorker, documents), name: 'engine in a thread' };
  for (let warm = 0; warm < 200; warm++)
    for (const kind of KINDS) await threaded.query(queryOf(kind, warm), []);
  const variants = [
    ...KINDS.map((kind) => timed(threaded, kind, QUERIES[kind])),
    underWrites(inWorker, 1_000, 'q1_'),
    underWrites(inWorker, 3_000, 'q1_3000_'),
    underWrites(echo, 1_000, 'echo_'),
  ];
  return { variants, close: async () => void (await Promise.all([threaded.close(), echo.close()])) };
};
const live = args.includes('--no-live') ? undefined : await underLoad();

const GOALS: Readonly<Record<string, number>> =
  documents >= 1_000_000 ? { q1_vs_sqlite: 12, q1_vs_pg: 12, q3_vs_sqlite: 150, q3_vs_pg: 150 } : {};
const ratios = peers.flatMap((peer) =>
  KINDS.map((kind): Ratio => {
    const ratio = `${kind}_vs_${peer.name}`;
    const goal = GOALS[ratio];
    return {
      name: ratio,
      subject: `engine.${kind}`,
      baseline: `${peer.name}.${kind}`,
      ...(goal ? { goal } : {}),
    };
  }),
);
await runBench({
  name: 'engine',
  unit: 'queries/s',
  variants: [
    ...KINDS.map((kind) => timed(own, kind, QUERIES[kind])),
    ...peers.flatMap((peer) => KINDS.map((kind) => timed(peer, kind, PEER_QUERIES[kind]))),
    restart,
    ...(live?.variants ?? []),
  ],
  ratios,
});
for (const peer of [...peers, own]) await peer.close();
await live?.close();
for (const one of [dir, copy, workerDir]) removeDir(one);
