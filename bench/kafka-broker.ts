import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';

type Broker = { readonly address: string; readonly version: string };
type BrokerTools = {
  freePort(): Promise<number>;
  startBroker(options: {
    readonly dir: string;
    readonly port: number;
    readonly controllerPort: number;
    readonly guarded: boolean;
  }): Promise<Broker>;
  endBroker(dir: string, signal: string): Promise<boolean>;
};
export type BenchKafka = Broker & { stop(): Promise<void> };

/** The project's own tool, from `.cache/bench` where this runs compiled. */
const tools = async (): Promise<BrokerTools> => {
  const here = dirname(fileURLToPath(import.meta.url));
  const file = join(here, '../../scripts/parts/kafka-broker.mjs');
  return (await import(pathToFileURL(file).href)) as BrokerTools;
};

/** A broker of the benchmark's own, or the given one. Baseline and subject share it. */
export const benchKafka = async (): Promise<BenchKafka> => {
  const given = process.env['DOSKA_TEST_KAFKA_BROKERS'] ?? '';
  if (given !== '') return { address: given, version: 'of the given broker', stop: () => Promise.resolve() };
  const { freePort, startBroker, endBroker } = await tools();
  const dir = mkdtempSync(join(tmpdir(), 'doska-bench-kafka-'));
  process.env['KAFKA_HEAP'] ??= '512m';
  const port = await freePort();
  const controllerPort = await freePort();
  const broker = await startBroker({ dir, port, controllerPort, guarded: true });
  return {
    ...broker,
    stop: async () => {
      await endBroker(dir, 'SIGKILL');
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
