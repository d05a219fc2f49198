import { err, ok } from 'neverthrow';
import type { Clock, JobSpec } from '../../kernel/index.ts';
import type { FeedStore } from '../autoload/feed-store.port.ts';
import { nowUsOf, type GostSettings } from '../settings.ts';
import { purgeAll, type PurgeDrafts } from './purge-drafts.use-case.ts';

export type PurgeDraftsJobNeeds = {
  readonly purgeDrafts: PurgeDrafts;
  readonly feeds: Pick<FeedStore, 'forgetRemoved'>;
  readonly clock: Clock;
  readonly settings: Pick<GostSettings, 'bannedRowUs'>;
};
const BATCH = 200;

/** Purges abandoned drafts and feed rows of offers that were removed long ago, once an hour. */
export const purgeDraftsJob = ({ purgeDrafts, feeds, clock, settings }: PurgeDraftsJobNeeds): JobSpec => ({
  name: 'gost-purge',
  everyMs: 3_600_000,
  run: async ({ signal }) => {
    const done = await purgeAll(purgeDrafts, BATCH, signal);
    if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
    const beforeUs = nowUsOf(clock) - settings.bannedRowUs;
    let rows = 0;
    for (let more = true; more && !signal.aborted;) {
      const forgotten = await feeds.forgetRemoved(beforeUs, BATCH);
      if (forgotten.isErr()) return err({ kind: 'JobFailed', reason: forgotten.error.what });
      rows += forgotten.value;
      more = forgotten.value === BATCH;
    }
    const { purged, forgotten } = done.value;
    return ok(`${purged} drafts purged, ${forgotten} published drafts and ${rows} feed rows forgotten`);
  },
});
