import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { makeBatcher, type Batcher, type Clock, type Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import {
  ACCEPT_BYTES_MAX,
  REGISTRY_ROWS_MAX,
  type DocumentRegistry,
  type RegistryWrite,
  type WriteOutcome,
} from './document-registry.port.ts';

/** The registry as one process uses it: writes of all callers of a client travel in groups. */
export interface ProcessRegistry {
  /** As one write of `DocumentRegistry.accept`. Writes of one document keep their order. */
  write(client: ClientName, write: RegistryWrite): ResultAsync<WriteOutcome, Unavailable>;
  /** Commits what waits; later writes are refused. */
  close(): Promise<void>;
}
export type ProcessRegistryOptions = {
  readonly clock: Clock;
  /** How long a write waits for others. */
  readonly lingerMs: number;
  /** Writes in one transaction. */
  readonly writesMax: number;
  /** Writes that wait for their group; more are refused. */
  readonly waitingMax: number;
};

type Outcome = Result<WriteOutcome, Unavailable>;
const idOf = ({ row: { pk, place } }: RegistryWrite): string => `${place.epoch}/${pk}`;

/** Groups in which each document stands once, in the order of the writes. */
const wavesOf = (writes: readonly RegistryWrite[]): readonly (readonly number[])[] => {
  const waves: number[][] = [];
  const counts = new Map<string, number>();
  writes.forEach((write, index) => {
    const id = idOf(write);
    const wave = counts.get(id) ?? 0;
    counts.set(id, wave + 1);
    (waves[wave] ??= []).push(index);
  });
  return waves;
};

/** On an error that would come again, halves the group to find the write that fails; the others commit. */
const acceptGroup = async (
  registry: Pick<DocumentRegistry, 'accept'>,
  client: ClientName,
  writes: readonly RegistryWrite[],
): Promise<readonly Outcome[]> => {
  const answer = await registry.accept(client, writes);
  if (answer.isOk()) return answer.value.map((outcome) => ok(outcome));
  const { error } = answer;
  if (error.kind === 'SchemaMoved') throw new Error('a group without a growth can not meet a moved schema');
  if (error.retryable || writes.length === 1) return writes.map(() => err(error));
  const half = writes.length >> 1;
  const first = await acceptGroup(registry, client, writes.slice(0, half));
  return [...first, ...(await acceptGroup(registry, client, writes.slice(half)))];
};

const acceptInWaves = async (
  registry: Pick<DocumentRegistry, 'accept'>,
  client: ClientName,
  writes: readonly RegistryWrite[],
): Promise<readonly Outcome[]> => {
  const outcomes: Outcome[] = [];
  for (const wave of wavesOf(writes)) {
    const answers = await acceptGroup(
      registry,
      client,
      wave.map((index) => writes[index]!),
    );
    wave.forEach((index, i) => (outcomes[index] = answers[i]!));
  }
  return outcomes;
};

export const openProcessRegistry = (
  registry: Pick<DocumentRegistry, 'accept'>,
  { clock, lingerMs, writesMax, waitingMax }: ProcessRegistryOptions,
): ProcessRegistry => {
  const batchers = new Map<ClientName, Batcher<RegistryWrite, WriteOutcome, Unavailable>>();
  const batcherOf = (client: ClientName): Batcher<RegistryWrite, WriteOutcome, Unavailable> => {
    const found =
      batchers.get(client) ??
      makeBatcher<RegistryWrite, WriteOutcome, Unavailable>({
        name: `vasgen.accept.${client}`,
        clock,
        countMax: Math.min(writesMax, REGISTRY_ROWS_MAX),
        bytesMax: ACCEPT_BYTES_MAX,
        bytesOf: ({ row }) => 400 + (row.body?.byteLength ?? 0),
        lingerMs,
        waitingMax,
        // One at a time: two groups of one process would wait for each other's shards.
        flushesMax: 1,
        flush: (writes) =>
          new ResultAsync(acceptInWaves(registry, client, writes).then((outcomes) => ok(outcomes))),
      });
    batchers.set(client, found);
    return found;
  };
  return {
    write: (client, write) => batcherOf(client).add(write),
    close: async () => void (await Promise.all([...batchers.values()].map((batcher) => batcher.close()))),
  };
};
