import { err, ok, type Result } from 'neverthrow';
import { sleep, type Clock, type LogAdmin, type Unavailable, unavailable } from '../../kernel/index.ts';
import { indexTopic } from '../document/indexed-document.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { DocumentQueues } from '../queues/document-queues.port.ts';
import type { SearcherRows } from '../searcher/searcher-rows.port.ts';
import {
  GATED_QUEUES,
  queueBehind,
  searchersBehind,
  type Behind,
  type TopicHeads,
} from './promotion-gate.ts';

export type PromotionSettings = {
  /** How long a promotion waits for queues and searchers. */
  readonly waitMs: number;
  readonly pollMs: number;
  /** A searcher whose last report is older does not count. */
  readonly searcherLiveMs: number;
  /** The group that indexers store their offsets under. */
  readonly group: string;
};
export type AwaitCaughtUpNeeds = {
  readonly queues: Pick<DocumentQueues, 'heads' | 'offsets'>;
  readonly searchers: Pick<SearcherRows, 'live'>;
  readonly log: Pick<LogAdmin, 'lag' | 'topics'>;
  readonly clock: Clock;
  readonly settings: PromotionSettings;
};
/** Returns what is still behind after the wait; nothing if the epoch has caught up. */
export type AwaitCaughtUp = (
  client: ClientName,
  epoch: number,
) => Promise<Result<readonly Behind[], Unavailable>>;

/** A group that never commits: only the heads of the topic are wanted. */
const HEADS_GROUP = 'vasgen-promotion';

/**
 * Waits until the indexers have published what was queued at the call, and then until every live searcher has applied
 * what was in the topic after that. The order matters: heads of the topic that are read earlier miss what the indexers
 * publish meanwhile.
 */
export const makeAwaitCaughtUp = (needs: AwaitCaughtUpNeeds): AwaitCaughtUp => {
  const { queues, searchers, log, clock, settings } = needs;
  const until = async (
    deadlineMs: number,
    look: () => Promise<Result<readonly Behind[], Unavailable>>,
  ): Promise<Result<readonly Behind[], Unavailable>> => {
    for (;;) {
      const seen = await look();
      if (seen.isErr() || seen.value.length === 0 || clock.nowMs() >= deadlineMs) return seen;
      await sleep(clock, settings.pollMs);
    }
  };
  const queueHeads = async (client: ClientName) => {
    const heads: (readonly number[])[] = [];
    for (const queue of GATED_QUEUES) {
      const found = await queues.heads(client, queue);
      if (found.isErr()) return err(found.error);
      heads.push(found.value);
    }
    return ok(heads);
  };
  const topicHeads = async (client: ClientName): Promise<Result<TopicHeads, Unavailable>> => {
    const topic = indexTopic(client);
    const topics = await log.topics();
    if (topics.isErr()) return err(topics.error);
    const info = topics.value.find(({ name }) => name === topic);
    const lag = await log.lag(HEADS_GROUP, topic);
    if (lag.isErr())
      return err(lag.error.kind === 'Unavailable' ? lag.error : unavailable('index topic', lag.error, false));
    return ok({ log: info?.log ?? '', topic, heads: lag.value });
  };

  return async (client, epoch) => {
    const deadlineMs = clock.nowMs() + settings.waitMs;
    const heads = await queueHeads(client);
    if (heads.isErr()) return err(heads.error);
    const queued = await until(deadlineMs, async () => {
      const behind: Behind[] = [];
      for (const [at, queue] of GATED_QUEUES.entries()) {
        const offsets = await queues.offsets(client, queue, settings.group);
        if (offsets.isErr()) return err(offsets.error);
        behind.push(...queueBehind(queue, heads.value[at]!, offsets.value));
      }
      return ok(behind);
    });
    if (queued.isErr() || queued.value.length > 0) return queued;
    const published = await topicHeads(client);
    if (published.isErr()) return err(published.error);
    return until(deadlineMs, async () =>
      (await searchers.live(client, settings.searcherLiveMs)).map((live) =>
        searchersBehind(epoch, published.value, live),
      ),
    );
  };
};
