import { err, ok } from 'neverthrow';
import type { GenericStorage, JobSpec, Telemetry } from '../../kernel/index.ts';
import { makeAuditCounts } from './audit-counts.use-case.ts';
import type { Cabinet, PresetList } from './cabinet.port.ts';

export type AuditCountsJobNeeds = {
  readonly cabinet: Cabinet;
  readonly storage: GenericStorage;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
  readonly settings: { readonly everyMs: number; readonly lists: number };
};

const SPACE = 'gost';
const KEY = 'audit-cursor';
type Cursor = { readonly after: PresetList | undefined; readonly version: number };

const readCursor = async (storage: GenericStorage): Promise<Cursor> => {
  const [stored] = (await storage.get(SPACE, [KEY])).unwrapOr([]);
  const text = stored && new TextDecoder().decode(stored.value);
  return {
    after: text ? (JSON.parse(text) as { readonly after?: PresetList }).after : undefined,
    version: stored?.version ?? 0,
  };
};

/** Recounts a few lists each time, through all sellers in turn. A wrong count is repaired and logged. */
export const auditCountsJob = ({ cabinet, storage, telemetry, settings }: AuditCountsJobNeeds): JobSpec => {
  const { logger, metrics } = telemetry;
  const audit = makeAuditCounts(cabinet);
  const drifted = metrics.counter({
    name: 'doska_gost_drifted_total',
    help: 'Wrong counts of sellers that were found and repaired.',
    labels: ['what'],
  });
  return {
    name: 'gost-audit',
    everyMs: settings.everyMs,
    run: async () => {
      const { after, version } = await readCursor(storage);
      const found = await audit({ limit: settings.lists, ...(after ? { after } : {}) });
      if (found.isErr()) return err({ kind: 'JobFailed', reason: found.error.what });
      const { checked, drifted: lists, totals, next } = found.value;
      for (const drift of lists) logger.warn('repaired a wrong count', drift);
      for (const drift of totals) logger.warn('repaired a wrong total', drift);
      drifted.add(lists.length, { what: 'list' });
      drifted.add(totals.length, { what: 'total' });
      // If the cursor is not stored, the next audit checks the same lists again.
      await storage.put(SPACE, KEY, new TextEncoder().encode(JSON.stringify({ after: next })), version);
      return ok(`${checked} lists, ${lists.length + totals.length} drifted`);
    },
  };
};
