import { err, ok, type Result } from 'neverthrow';
import type { Unavailable } from '../../kernel/index.ts';
import type { ClientName } from '../document/raw-document.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { EpochState } from '../epochs/epoch.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { DocumentQueues } from '../queues/document-queues.port.ts';
import type { FailedElement } from '../queues/queue-element.ts';
import { documentShard } from '../queues/shard-of-document.ts';
import type { Refusal } from '../receiver/refusal.ts';
import type { RefusalStore } from '../receiver/refusal-store.port.ts';
import type { DocumentRegistry } from './document-registry.port.ts';
import type { RowHead } from './registry-row.ts';

/** A document in one living epoch, before it comes to an index. */
export type LocatedRow = {
  readonly epoch: number;
  readonly state: EpochState;
  /** What the registry has; undefined: it was never accepted, or was deleted long ago. */
  readonly row: RowHead | undefined;
  /** Elements that wait in its queue before everything of its shard is published. 0: nothing waits. */
  readonly waiting: number;
  /** It could not be converted and waits for an operator. */
  readonly failure: FailedElement | undefined;
};
export type LocatedDocument = {
  readonly epochs: readonly LocatedRow[];
  /** The last refusal of the receiver in each epoch. */
  readonly refusals: readonly Refusal[];
};
/** Where a document is on its way to the indexes: registry, queue, failures and refusals. */
export type LocateDocument = (
  client: ClientName,
  pk: string,
) => Promise<Result<LocatedDocument, UnknownClient | Unavailable>>;
export type LocateDocumentNeeds = {
  readonly registry: Pick<DocumentRegistry, 'find'>;
  readonly queues: Pick<DocumentQueues, 'heads' | 'offsets' | 'parked'>;
  readonly refusals: Pick<RefusalStore, 'of'>;
  readonly epochs: Pick<KnownEpochs, 'get'>;
  readonly shards: number;
  /** The group of the indexers. */
  readonly group: string;
};

const PAGE = 100;

export const makeLocateDocument = (needs: LocateDocumentNeeds): LocateDocument => {
  const { registry, queues, refusals, epochs, shards, group } = needs;

  /** Failed elements are in the order of their pks: those that begin like the pk are few. */
  const failureOf = async (
    client: ClientName,
    epoch: number,
    pk: string,
  ): Promise<Result<FailedElement | undefined, Unavailable>> => {
    for (let after = { epoch, pk: pk.slice(0, -1) }; ;) {
      const page = await queues.parked(client, { after, limit: PAGE });
      if (page.isErr()) return err(page.error);
      const found = page.value.find((element) => element.epoch === epoch && element.pk === pk);
      const last = page.value.at(-1);
      const isPast = !last || page.value.length < PAGE || last.epoch > epoch || last.pk > pk;
      if (found || isPast) return ok(found);
      after = { epoch, pk: last.pk };
    }
  };
  const waitingIn = async (
    client: ClientName,
    pk: string,
    row: RowHead | undefined,
  ): Promise<Result<number, Unavailable>> => {
    if (!row) return ok(0);
    const shard = documentShard(pk, shards);
    const heads = await queues.heads(client, row.lane);
    if (heads.isErr()) return err(heads.error);
    const done = await queues.offsets(client, row.lane, group);
    return done.map((offsets) => Math.max(0, (heads.value[shard] ?? 0) - (offsets[shard] ?? 0)));
  };

  return async (client, pk) => {
    const known = await epochs.get(client);
    if (known.isErr()) return err(known.error);
    const refused = await refusals.of(client, pk);
    if (refused.isErr()) return err(refused.error);
    const located: LocatedRow[] = [];
    for (const { epoch, state } of known.value.epochs) {
      const rows = await registry.find(client, epoch, [pk]);
      if (rows.isErr()) return err(rows.error);
      const [found] = rows.value;
      const waiting = await waitingIn(client, pk, found);
      if (waiting.isErr()) return err(waiting.error);
      const failure = await failureOf(client, epoch, pk);
      if (failure.isErr()) return err(failure.error);
      located.push({ epoch, state, row: found, waiting: waiting.value, failure: failure.value });
    }
    return ok({ epochs: located, refusals: refused.value });
  };
};
