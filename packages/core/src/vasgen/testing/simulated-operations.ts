import { err } from 'neverthrow';
import { sleep } from '../../kernel/index.ts';
import type { Env, MemoryLogServer } from '../../kernel/testing.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { EpochCommand } from '../epochs/epoch-transitions.ts';
import type { Vasgen } from '../open-vasgen.ts';
import type { DocumentRegistry } from '../registry/document-registry.port.ts';
import type { VasgenCodecs } from '../vasgen-codecs.port.ts';

/** Carries out the epoch commands in order, and replays what indexers have parked. */
export const operate = async (
  commands: EpochCommand[],
  { useCases }: Vasgen,
  { clock }: Env,
  client: ClientName,
): Promise<void> => {
  for (;;) {
    const next = commands[0];
    if (next !== undefined) {
      const changed = await useCases.epochs.change(client, next, { isForced: true });
      // After a lost answer the change may have been made: then the next look refuses it.
      if (changed.isOk() || changed.error.kind === 'EpochRefused') commands.shift();
    }
    // A failure is tried again by the next round.
    await useCases.repairQueues.replay(client, [], false);
    await sleep(clock, 500);
  }
};

/** Codecs that can't read a document of this key before `untilMs`, as code that is mended later. */
export const failingCodecs = (
  right: VasgenCodecs,
  pk: string,
  untilMs: number,
  nowMs: () => number,
): VasgenCodecs => ({
  ...right,
  document: {
    encode: (document) => right.document.encode(document),
    decode: (bytes) =>
      right.document
        .decode(bytes)
        .andThen((document) =>
          document.pk === pk && nowMs() < untilMs
            ? err({ kind: 'Malformed' as const, what: 'not readable yet' })
            : right.document.decode(bytes),
        ),
  },
});

/** The topic loses its records, as its retention does, and the registry its tombstones, as the horizon does. */
export const letAMonthPass = async (
  { log, topic, shards, client }: { log: MemoryLogServer; topic: string; shards: number; client: ClientName },
  registry: Pick<DocumentRegistry, 'forgetTombstones'>,
  { clock }: Pick<Env, 'clock'>,
): Promise<void> => {
  const kept = log.topics.get(topic)!.partitions[0]!;
  kept.base += kept.records.splice(0).length;
  for (let shard = 0; shard < shards;) {
    const forgotten = await registry.forgetTombstones(client, shard, clock.nowMs() + 1, 100);
    if (forgotten.isOk()) shard++;
    else await sleep(clock, 50);
  }
};

/** Sleeps until the condition holds. */
export const waitUntil = async (isTrue: () => boolean, { clock }: Pick<Env, 'clock'>): Promise<void> => {
  while (!isTrue()) await sleep(clock, 200);
};
