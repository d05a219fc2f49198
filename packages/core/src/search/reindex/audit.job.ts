import { err, ok, type Result } from 'neverthrow';
import type {
  Clock,
  GenericStorage,
  JobFailed,
  JobSpec,
  Logger,
  Metrics,
  Unavailable,
} from '../../kernel/index.ts';
import type { DeclaredEpochs } from '../scheduler/declared-epochs.use-case.ts';
import { begunWalk, noAudit, slicesDue, walked, type AuditPace, type AuditState } from './audit-walk.ts';
import type { ReindexOffers } from './reindex-offers.use-case.ts';

export type AuditSettings = AuditPace & {
  /** What differs is sent again. Otherwise it is only counted. */
  readonly repairs: boolean;
};
export type AuditJobNeeds = {
  readonly reindexOffers: ReindexOffers;
  readonly epochs: DeclaredEpochs;
  readonly storage: GenericStorage;
  readonly clock: Clock;
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly settings: AuditSettings;
};

const SPACE = 'search.audit';
const KEY = 'walk';
type Kept = { readonly state: AuditState; readonly version: number };

/** Walks through all offers and all documents of the serving epoch, a little in each run, and mends what differs. */
export const auditJob = (needs: AuditJobNeeds): JobSpec => {
  const { reindexOffers, epochs, storage, clock, logger, metrics, settings } = needs;
  const found = metrics.counter({
    name: 'doska_search_audit_differences_total',
    help: 'Differences between the offer store and the serving index that the audit found.',
    labels: ['kind'],
  });
  const failedBy = (error: { readonly kind: string; readonly what?: string }): JobFailed => ({
    kind: 'JobFailed',
    reason: error.what ?? error.kind,
  });
  const read = async (): Promise<Result<Kept, Unavailable>> =>
    storage.get(SPACE, [KEY]).map(([row]) => ({
      state: row ? (JSON.parse(new TextDecoder().decode(row.value)) as AuditState) : noAudit,
      version: row?.version ?? 0,
    }));
  const write = async (state: AuditState, version: number): Promise<Result<Kept, JobFailed>> =>
    storage
      .put(SPACE, KEY, new TextEncoder().encode(JSON.stringify(state)), version)
      .map((next) => ({ state, version: next }))
      .mapErr(failedBy);

  /** One slice of the walk. */
  const step = async ({ state, version }: Kept): Promise<Result<Kept, JobFailed>> => {
    const walk = state.walk!;
    const slice = await reindexOffers({
      mode: settings.repairs ? 'repair' : 'audit',
      epoch: walk.epoch,
      category: undefined,
      cursor: walk.cursor,
    });
    // A cursor that is not understood any more: the walk begins anew with the next run.
    if (slice.isErr() && slice.error.kind === 'InvalidInput')
      return write({ ...state, walk: undefined }, version);
    if (slice.isErr()) return err(failedBy(slice.error));
    const { findings, nextCursor } = slice.value;
    for (const { offerId, kind, reason } of findings) {
      found.add(1, { kind });
      logger.warn('the audit found a difference between the offer store and the index', {
        offer: offerId,
        kind,
        reason,
        repaired: settings.repairs && kind !== 'failed',
      });
    }
    const next = walked(state, walk, { nextCursor, differences: findings.length }, clock.nowMs());
    return write(next, version);
  };

  return {
    name: 'search-audit',
    everyMs: settings.everyMs,
    run: async ({ signal }) => {
      const living = await epochs.living();
      if (living.isErr()) return err(failedBy(living.error));
      const serving = living.value.find(({ state }) => state === 'serving')?.epoch;
      if (serving === undefined) return ok('no epoch serves yet');
      const first = await read();
      if (first.isErr()) return err(failedBy(first.error));
      let kept = first.value;
      if (kept.state.walk?.epoch !== serving) {
        const begun = await write(begunWalk(kept.state, serving, clock.nowMs()), kept.version);
        if (begun.isErr()) return err(begun.error);
        kept = begun.value;
      }
      const due = slicesDue(kept.state, settings, clock.nowMs());
      let done = 0;
      for (; done < due && kept.state.walk && !signal.aborted; done++) {
        const next = await step(kept);
        if (next.isErr()) return err(next.error);
        kept = next.value;
      }
      const { walk, last } = kept.state;
      const words = walk
        ? `in slice ${walk.slices}, ${walk.differences} differences`
        : `a walk of ${last?.slices ?? 0} slices ended with ${last?.differences ?? 0} differences`;
      return ok(`${done} slices compared; ${words}`);
    },
  };
};
