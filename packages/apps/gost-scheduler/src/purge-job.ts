import { Tokens } from '@doska/app-composition';
import { makePurgeDrafts, purgeAll } from '@doska/core/gost';
import type { JobSpec } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok } from 'neverthrow';

const BATCH = 200;

/** Drafts that nobody came back to, and what feeds dropped long ago, once an hour. */
export const purgeJob = (container: Container): JobSpec => {
  const { drafts, offers, feeds } = container.get(Tokens.gostStores);
  const [clock, settings] = [container.get(Tokens.clock), container.get(Tokens.gostSettings)];
  const purge = makePurgeDrafts({ drafts, offers, clock, settings });
  return {
    name: 'gost-purge',
    everyMs: 3_600_000,
    run: async ({ signal }) => {
      const done = await purgeAll(purge, BATCH, signal);
      if (done.isErr()) return err({ kind: 'JobFailed', reason: done.error.what });
      const beforeUs = clock.nowMs() * 1_000 - settings.bannedRowUs;
      let rows = 0;
      for (let more = true; more && !signal.aborted;) {
        const forgotten = await feeds.forgetRemoved(beforeUs, BATCH);
        if (forgotten.isErr()) return err({ kind: 'JobFailed', reason: forgotten.error.what });
        rows += forgotten.value;
        more = forgotten.value === BATCH;
      }
      const { purged, forgotten } = done.value;
      return ok(`${purged} drafts purged, ${forgotten} forgotten, ${rows} rows of feeds forgotten`);
    },
  };
};
