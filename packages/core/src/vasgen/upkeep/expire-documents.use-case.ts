import { err, ok, type Result } from 'neverthrow';
import type { Clock, Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { DocumentRegistry } from '../registry/document-registry.port.ts';
import { expiryOf } from '../registry/judge.ts';
import type { ProcessRegistry } from '../registry/process-registry.store.ts';

export type ExpireDocumentsNeeds = {
  readonly registry: Pick<DocumentRegistry, 'expired'>;
  readonly process: Pick<ProcessRegistry, 'write'>;
  readonly clock: Clock;
};
/** Writes the expiries of a shard that are due, at most `limit`. Returns how many it found. */
export type ExpireDocuments = (
  client: ClientName,
  shard: number,
  limit: number,
) => Promise<Result<number, Unavailable>>;

/** A document that was prolonged meanwhile stays: its row is fresher than the expiry. */
export const makeExpireDocuments =
  ({ registry, process, clock }: ExpireDocumentsNeeds): ExpireDocuments =>
  async (client, shard, limit) => {
    const nowMs = clock.nowMs();
    const due = await registry.expired(client, shard, nowMs, limit);
    if (due.isErr()) return err(due.error);
    const written = await Promise.all(
      due.value.flatMap((stored) => {
        const row = expiryOf(stored, nowMs);
        return row ? [process.write(client, { row, shard, mayBeFirst: false, erases: false })] : [];
      }),
    );
    for (const outcome of written) if (outcome.isErr()) return err(outcome.error);
    return ok(due.value.length);
  };
