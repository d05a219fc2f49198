import { err, ok, type Result } from 'neverthrow';
import {
  limitRepeats,
  sleep,
  type Clock,
  type ShardWork,
  type Telemetry,
  type Unavailable,
} from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import { livingEpochs } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { DocumentQueues } from '../queues/document-queues.port.ts';
import { QUEUES } from '../queues/queue-element.ts';
import type { RefusalStore } from '../receiver/refusal-store.port.ts';
import type { DocumentRegistry } from '../registry/document-registry.port.ts';
import type { SearcherRows } from '../searcher/searcher-rows.port.ts';
import type { ExpireDocuments } from './expire-documents.use-case.ts';

export type UpkeepSettings = {
  readonly everyMs: number;
  /** Rows that one step takes. */
  readonly slice: number;
  readonly horizonMs: number;
  /** How long elements stay after every group has done them. */
  readonly elementsKeptMs: number;
  readonly refusalsKeptMs: number;
  /** How long the last report of a searcher that is gone stays. */
  readonly searchersKeptMs: number;
};
export type UpkeepNeeds = {
  readonly expireDocuments: ExpireDocuments;
  readonly registry: Pick<DocumentRegistry, 'forgetTombstones' | 'dropRows'>;
  readonly epochs: Pick<KnownEpochs, 'get'>;
  readonly queues: Pick<DocumentQueues, 'purge'>;
  readonly refusals: Pick<RefusalStore, 'purge'>;
  readonly searchers: Pick<SearcherRows, 'purge'>;
  readonly clock: Clock;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: UpkeepSettings;
};

/** Expires documents, forgets old tombstones and deletes what every indexer has done, each in slices. */
export const makeUpkeepShard = (needs: UpkeepNeeds, client: ClientName): ShardWork => {
  const { expireDocuments, registry, epochs, queues, refusals, searchers, clock, telemetry, settings } =
    needs;
  const { slice } = settings;
  const logger = limitRepeats(telemetry.logger, clock);
  const done = telemetry.metrics.counter({
    name: 'doska_vasgen_upkeep_total',
    help: 'Rows that the upkeep has expired, forgotten or deleted.',
    labels: ['client', 'what'],
  });
  /** Epochs whose rows are deleted. Their numbers never come again. */
  const dropped = new Set<number>();
  /** Deletes rows of epochs that are gone. Returns how many. */
  const dropGone = async (): Promise<Result<number, UnknownClient | Unavailable>> => {
    const known = await epochs.get(client);
    if (known.isErr()) return err(known.error);
    const living = livingEpochs(known.value);
    for (let epoch = 1; epoch <= known.value.version; epoch++) {
      if (dropped.has(epoch) || living.includes(epoch)) continue;
      const rows = await registry.dropRows(client, epoch, slice);
      if (rows.isErr() || rows.value > 0) return rows;
      dropped.add(epoch);
    }
    return ok(0);
  };
  return async ({ shard }, signal) => {
    const steps = [
      { what: 'expired', run: () => expireDocuments(client, shard, slice) },
      {
        what: 'forgotten',
        run: () => registry.forgetTombstones(client, shard, clock.nowMs() - settings.horizonMs, slice),
      },
      ...QUEUES.map((queue) => ({
        what: `purged from ${queue}`,
        run: () => queues.purge({ client, queue, shard }, clock.nowMs() - settings.elementsKeptMs, slice),
      })),
      ...(shard === 0
        ? [
            { what: 'rows of finished epochs', run: dropGone },
            {
              what: 'refusals purged',
              run: () => refusals.purge(client, clock.nowMs() - settings.refusalsKeptMs, slice),
            },
            {
              what: 'reports of searchers',
              run: () => searchers.purge(client, settings.searchersKeptMs, slice),
            },
          ]
        : []),
    ];
    while (!signal.aborted) {
      let more = false;
      for (const { what, run } of steps) {
        if (signal.aborted) return;
        const outcome = await run();
        if (outcome.isErr()) logger.warn('upkeep failed', { client, shard, what, error: outcome.error });
        else {
          if (outcome.value > 0) done.add(outcome.value, { client, what });
          more ||= outcome.value >= slice;
        }
      }
      if (!more) await sleep(clock, settings.everyMs, signal);
    }
  };
};
