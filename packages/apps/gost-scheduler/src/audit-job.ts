import { Tokens } from '@doska/app-composition';
import { makeAuditCounts, type PresetList } from '@doska/core/gost';
import type { GenericStorage, JobSpec } from '@doska/core/kernel';
import type { Container } from 'inversify';
import { err, ok } from 'neverthrow';

const [SPACE, KEY] = ['gost', 'audit-cursor'];
type Cursor = { readonly after: PresetList | undefined; readonly version: number };

const cursorIn = async (storage: GenericStorage): Promise<Cursor> => {
  const [stored] = (await storage.get(SPACE, [KEY])).unwrapOr([]);
  const text = stored && new TextDecoder().decode(stored.value);
  return {
    after: text ? (JSON.parse(text) as { readonly after?: PresetList }).after : undefined,
    version: stored?.version ?? 0,
  };
};

/** Counts a few lists anew each time, going round through all sellers; what was off is right afterwards, and told. */
export const auditJob = (container: Container): JobSpec => {
  const { auditEveryMs: everyMs, auditLists: limit } = container.get(Tokens.config);
  const storage = container.get(Tokens.storage);
  const { logger, metrics } = container.get(Tokens.telemetry);
  const audit = makeAuditCounts(container.get(Tokens.gostStores).cabinet);
  const drifted = metrics.counter({
    name: 'doska_gost_drifted_total',
    help: 'Counts of sellers that were found wrong and set right.',
    labels: ['what'],
  });
  return {
    name: 'gost-audit',
    everyMs,
    run: async () => {
      const { after, version } = await cursorIn(storage);
      const found = await audit({ limit, ...(after ? { after } : {}) });
      if (found.isErr()) return err({ kind: 'JobFailed', reason: found.error.what });
      const { checked, drifted: lists, totals, next } = found.value;
      for (const drift of lists) logger.warn('a count was wrong and is right now', drift);
      for (const drift of totals) logger.warn('a total was wrong and is right now', drift);
      drifted.add(lists.length, { what: 'list' });
      drifted.add(totals.length, { what: 'total' });
      // A lost cursor costs a look at the same lists again.
      await storage.put(SPACE, KEY, new TextEncoder().encode(JSON.stringify({ after: next })), version);
      return ok(`${checked} lists, ${lists.length + totals.length} drifted`);
    },
  };
};
