import { Tokens } from '@doska/app-composition';
import { makePurgeDrafts, purgeAll } from '@doska/core/gost';
import type { JobSpec } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok } from 'neverthrow';

const BATCH = 200;

/** Drafts that nobody came back to, once an hour. */
export const purgeJob = (container: Container): JobSpec => {
  const { drafts, offers } = container.get(Tokens.gostStores);
  const [clock, settings] = [container.get(Tokens.clock), container.get(Tokens.gostSettings)];
  const purge = makePurgeDrafts({ drafts, offers, clock, settings });
  return {
    name: 'gost-draft-purge',
    everyMs: 3_600_000,
    run: async ({ signal }) => {
      const done = await purgeAll(purge, BATCH, signal);
      return done.isErr()
        ? err({ kind: 'JobFailed', reason: done.error.what })
        : ok(`${done.value.purged} drafts purged, ${done.value.forgotten} forgotten`);
    },
  };
};
