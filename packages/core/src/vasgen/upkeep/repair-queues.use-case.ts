import { err, ok, type Result } from 'neverthrow';
import { invalidInput, type Codec, type InvalidInput, type Unavailable } from '../../kernel/index.ts';
import type { ClientName, RawDocument } from '../document/raw-document.ts';
import { livingEpochs, servingEpoch } from '../epochs/epoch.ts';
import type { UnknownClient } from '../epochs/epoch-store.port.ts';
import type { KnownEpochs } from '../epochs/known-epochs.use-case.ts';
import type { QueueBell } from '../indexer/queue-bell.ts';
import type { DocumentQueues, ParkedCursor } from '../queues/document-queues.port.ts';
import type { FailedElement } from '../queues/queue-element.ts';
import { documentShard } from '../queues/shard-of-document.ts';
import { REGISTRY_ROWS_MAX, type DocumentRegistry } from '../registry/document-registry.port.ts';
import { indexedOf } from '../registry/indexed-of.ts';
import { makeScanRegistry } from '../searcher/registry-scan.use-case.ts';

export type RepairQueuesNeeds = {
  readonly queues: Pick<DocumentQueues, 'parked' | 'unpark' | 'resend'>;
  readonly registry: Pick<DocumentRegistry, 'find' | 'scan'>;
  readonly epochs: Pick<KnownEpochs, 'get'>;
  readonly documents: Codec<RawDocument>;
  readonly bell: QueueBell;
  readonly shards: number;
};
/** What a replay does, or would do. Without a reason the document can be converted now. */
export type Replayed = ParkedCursor & { readonly reason: string | undefined };
export type RepairError = InvalidInput | UnknownClient | Unavailable;
export type RepairQueues = {
  /** Documents that could not be converted and wait for an operator. */
  failed(
    client: ClientName,
    page: { readonly after?: ParkedCursor; readonly limit: number },
  ): Promise<Result<readonly FailedElement[], Unavailable>>;
  /**
   * Sends failed documents again as they are now. `pks` empty: the first 1000. `isDryRun` only tells whether they can be
   * converted.
   */
  replay(
    client: ClientName,
    pks: readonly string[],
    isDryRun: boolean,
  ): Promise<Result<readonly Replayed[], RepairError>>;
  /** Puts the present state of these documents into `emergency`, in every living epoch or in one. Returns how many. */
  resend(
    client: ClientName,
    epoch: number | undefined,
    pks: readonly string[],
  ): Promise<Result<number, RepairError>>;
  /** A slice of all documents of an epoch that were written at or after `sinceMs`. An empty cursor begins. */
  resendAll(
    client: ClientName,
    asked: { readonly epoch: number | undefined; readonly sinceMs: number; readonly cursor: string },
  ): Promise<Result<{ readonly documents: number; readonly next: string | undefined }, RepairError>>;
};

const tooMany = invalidInput({
  path: 'pks',
  code: 'TooMany',
  message: `at most ${REGISTRY_ROWS_MAX} keys in one call`,
});

export const makeRepairQueues = (needs: RepairQueuesNeeds): RepairQueues => {
  const { queues, registry, epochs, documents, bell, shards } = needs;
  const scan = makeScanRegistry({ registry });
  const placed = (pks: readonly string[]) => pks.map((pk) => ({ pk, shard: documentShard(pk, shards) }));

  /** Every failed document, or those of the keys. */
  const chosen = async (
    client: ClientName,
    pks: readonly string[],
  ): Promise<Result<readonly FailedElement[], Unavailable>> => {
    const found: FailedElement[] = [];
    const wanted = new Set(pks);
    for (let after: ParkedCursor | undefined; ;) {
      const page = await queues.parked(client, { limit: REGISTRY_ROWS_MAX, ...(after ? { after } : {}) });
      if (page.isErr()) return err(page.error);
      for (const element of page.value) if (wanted.size === 0 || wanted.has(element.pk)) found.push(element);
      const last = page.value.at(-1);
      if (!last || page.value.length < REGISTRY_ROWS_MAX || found.length >= REGISTRY_ROWS_MAX)
        return ok(found.slice(0, REGISTRY_ROWS_MAX));
      after = { epoch: last.epoch, pk: last.pk };
    }
  };
  const judged = async (
    client: ClientName,
    elements: readonly FailedElement[],
  ): Promise<Result<readonly Replayed[], Unavailable>> => {
    const replayed: Replayed[] = [];
    for (const epoch of new Set(elements.map((element) => element.epoch))) {
      const pks = elements.filter((element) => element.epoch === epoch).map(({ pk }) => pk);
      const rows = await registry.find(client, epoch, pks);
      if (rows.isErr()) return err(rows.error);
      const byPk = new Map(rows.value.map((row) => [row.pk, row] as const));
      for (const pk of pks) {
        const row = byPk.get(pk);
        const reason =
          row &&
          indexedOf(row, documents).match(
            () => undefined,
            (why) => why,
          );
        replayed.push({ epoch, pk, reason });
      }
    }
    return ok(replayed);
  };
  const send = async (
    client: ClientName,
    epoch: number,
    pks: readonly string[],
  ): Promise<Result<number, Unavailable>> => {
    const resent = placed(pks);
    const sent = await queues.resend(client, 'emergency', epoch, resent);
    if (sent.isOk()) bell.ring(client, 'emergency', new Set(resent.map(({ shard }) => shard)));
    return sent;
  };

  return {
    failed: async (client, page) => queues.parked(client, page),
    replay: async (client, pks, isDryRun) => {
      if (pks.length > REGISTRY_ROWS_MAX) return err(tooMany);
      const elements = await chosen(client, pks);
      if (elements.isErr()) return err(elements.error);
      const replayed = await judged(client, elements.value);
      if (replayed.isErr() || isDryRun) return replayed;
      const good = replayed.value.filter(({ reason }) => reason === undefined);
      for (const epoch of new Set(good.map((one) => one.epoch))) {
        const those = good.filter((one) => one.epoch === epoch);
        const sent = await send(
          client,
          epoch,
          those.map(({ pk }) => pk),
        );
        if (sent.isErr()) return err(sent.error);
        // Only now: an answer that is lost leaves them listed, and sending twice does no harm.
        const unparked = await queues.unpark(client, those);
        if (unparked.isErr()) return err(unparked.error);
      }
      return replayed;
    },
    resend: async (client, epoch, pks) => {
      if (pks.length > REGISTRY_ROWS_MAX) return err(tooMany);
      const known = await epochs.get(client);
      if (known.isErr()) return err(known.error);
      let documentsSent = 0;
      for (const living of epoch === undefined ? livingEpochs(known.value) : [epoch]) {
        const sent = await send(client, living, pks);
        if (sent.isErr()) return err(sent.error);
        documentsSent += sent.value;
      }
      return ok(documentsSent);
    },
    resendAll: async (client, { epoch, sinceMs, cursor }) => {
      const known = await epochs.get(client);
      if (known.isErr()) return err(known.error);
      const asked = epoch ?? servingEpoch(known.value)?.epoch;
      if (asked === undefined) return ok({ documents: 0, next: undefined });
      const page = await scan(client, asked, cursor);
      if (page.isErr()) return err(page.error);
      const { rows, next } = page.value;
      const pks = rows.filter(({ writtenAtMs }) => writtenAtMs >= sinceMs).map(({ pk }) => pk);
      const sent = pks.length === 0 ? ok(0) : await send(client, asked, pks);
      return sent.isErr() ? err(sent.error) : ok({ documents: sent.value, next });
    },
  };
};
