import { err, ok, type Result } from 'neverthrow';
import type { Position, Unavailable } from '../../kernel/index.ts';
import type { ApplyRecords, SchemaBehind } from './apply-records.use-case.ts';
import type { RebuildSource } from './rebuild-source.port.ts';
import type { IndexInfo, NoIndex, RebuildMoved, SearchEngine } from './search-engine.port.ts';

/** A document of the scan that the index does not take: the rebuild can't end before it does. */
export type RebuildRefused = {
  readonly kind: 'RebuildRefused';
  readonly pk: string;
  readonly reason: string;
};

export type RebuildIndexNeeds = {
  readonly engine: Pick<SearchEngine, 'apply' | 'renew' | 'sweep'>;
  readonly applyRecords: ApplyRecords;
  readonly source: RebuildSource;
};

/**
 * Makes an index hold what the scan says and nothing else. `positions` are those of readers that were opened before:
 * what is accepted during the scan is in the scan or behind them. They are noted last, so a rebuild that does not reach
 * its end leaves an index without progress, which is rebuilt again. Returns how many documents were swept.
 */
export const rebuildIndex = async (
  { engine, applyRecords, source }: RebuildIndexNeeds,
  { name, epoch, rebuild: last }: Pick<IndexInfo, 'name' | 'epoch' | 'rebuild'>,
  positions: readonly Position[],
  signal: AbortSignal,
): Promise<Result<number, NoIndex | RebuildMoved | RebuildRefused | SchemaBehind | Unavailable>> => {
  const rebuild = last + 1;
  const renewed = await engine.renew(name, rebuild);
  if (renewed.isErr()) return err(renewed.error);
  for (let cursor: string | undefined; !signal.aborted;) {
    const page = await source.scan(epoch, cursor);
    if (page.isErr()) return err(page.error);
    const { changes, schema, next } = page.value;
    const taken = await applyRecords(
      changes.map((change) => ({ schema, change })),
      {},
    );
    if (taken.isErr()) return err(taken.error);
    const { refused } = taken.value;
    if (refused)
      return err({ kind: 'RebuildRefused', pk: changes[refused.at]?.pk ?? '', reason: refused.reason });
    if (next === undefined) {
      const swept = await engine.sweep(name, rebuild);
      if (swept.isErr()) return err(swept.error);
      const noted = await engine.apply(name, [], { positions });
      return noted.map(() => swept.value);
    }
    cursor = next;
  }
  return ok(0);
};
