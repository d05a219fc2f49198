import type { Codec, LogRecord } from '../../kernel/index.ts';
import type { IndexedDocument } from '../document/indexed-document.ts';
import { indexedOf } from '../registry/indexed-of.ts';
import type { RawDocument } from '../document/raw-document.ts';
import type { FailedElement, QueuedDocument, QueueElement, QueueName } from '../queues/queue-element.ts';
import { elementOutcome } from './element-outcome.ts';

export type PlanNeeds = {
  readonly queue: QueueName;
  /** Where records of an epoch and pk go. */
  readonly topicsOf: (epoch: number, pk: string) => readonly string[];
  readonly isLiving: (epoch: number) => boolean;
  readonly documents: Codec<RawDocument>;
  readonly records: Codec<IndexedDocument>;
  readonly nowMs: number;
  readonly attemptsMax: number;
  readonly retryDelayMs: (attempt: number) => number;
};
export type BatchCounts = {
  published: number;
  early: number;
  gone: number;
  superseded: number;
  finished: number;
};
export type BatchPlan = {
  readonly records: readonly LogRecord[];
  /** The element of each record. */
  readonly sources: readonly QueueElement[];
  /** The idx that the offset moves to; undefined if nothing is due. */
  readonly to: number | undefined;
  readonly failed: readonly FailedElement[];
  readonly parked: readonly FailedElement[];
  readonly gone: readonly QueueElement[];
  readonly counts: BatchCounts;
  /** When the first element that is not due will be. */
  readonly retryAtMs: number | undefined;
};

/** What failed once more, with the next time to try. */
export const failureOf = (
  element: QueueElement,
  reason: string,
  { queue, nowMs, retryDelayMs }: Pick<PlanNeeds, 'queue' | 'nowMs' | 'retryDelayMs'>,
): FailedElement => {
  const { pk, epoch, version, timestampMs, failure } = element;
  const attempts = (failure?.attempts ?? 0) + 1;
  const retryAtMs = nowMs + retryDelayMs(attempts);
  return {
    pk,
    epoch,
    version,
    timestampMs,
    failure: { queue: failure?.queue ?? queue, reason, attempts, retryAtMs },
  };
};

/** Everything that the elements ask for. Elements are done in order; one of `failed` that is not due ends the batch. */
export const planBatch = (elements: readonly QueuedDocument[], needs: PlanNeeds): BatchPlan => {
  const { queue, topicsOf, isLiving, records: codec, nowMs, attemptsMax } = needs;
  const records: LogRecord[] = [];
  const sources: QueueElement[] = [];
  const failed: FailedElement[] = [];
  const parked: FailedElement[] = [];
  const gone: QueueElement[] = [];
  const counts: BatchCounts = { published: 0, early: 0, gone: 0, superseded: 0, finished: 0 };
  const publish = (indexed: IndexedDocument, element: QueueElement): void => {
    const value = codec.encode(indexed);
    for (const topic of topicsOf(indexed.place.epoch, indexed.pk)) {
      records.push({ topic, key: indexed.pk, value });
      sources.push(element);
    }
  };
  let to: number | undefined;
  let retryAtMs: number | undefined;
  for (const { element, row } of elements) {
    if (element.failure && element.failure.retryAtMs > nowMs) {
      retryAtMs = element.failure.retryAtMs;
      break;
    }
    to = element.idx;
    const outcome = elementOutcome(queue, element, row, isLiving(element.epoch));
    if (outcome.kind === 'superseded' || outcome.kind === 'finished') counts[outcome.kind]++;
    else if (outcome.kind === 'gone') {
      gone.push(element);
      counts.gone++;
      publish({ pk: element.pk, place: outcome.place, schema: 0, document: undefined }, element);
    } else {
      const converted = indexedOf(outcome.row, needs.documents);
      if (converted.isOk()) {
        publish(converted.value, element);
        counts[outcome.early ? 'early' : 'published']++;
      } else {
        const failure = failureOf(element, converted.error, needs);
        (failure.failure.attempts >= attemptsMax ? parked : failed).push(failure);
      }
    }
  }
  return { records, sources, to, failed, parked, gone, counts, retryAtMs };
};

/** The plan without the records that no topic can hold: their elements have failed. */
export const withoutOversize = (
  plan: BatchPlan,
  oversize: ReadonlySet<number>,
  needs: Pick<PlanNeeds, 'queue' | 'nowMs' | 'retryDelayMs' | 'attemptsMax'>,
): BatchPlan => {
  const large = new Set(plan.sources.filter((_, i) => oversize.has(i)));
  const kept = plan.sources.flatMap((element, i) => (large.has(element) ? [] : [i]));
  const failures = Array.from(large, (element) =>
    failureOf(element, 'the record is too large for the index topic', needs),
  );
  const isParked = ({ failure }: FailedElement): boolean => failure.attempts >= needs.attemptsMax;
  return {
    ...plan,
    records: kept.map((i) => plan.records[i]!),
    sources: kept.map((i) => plan.sources[i]!),
    failed: [...plan.failed, ...failures.filter((one) => !isParked(one))],
    parked: [...plan.parked, ...failures.filter(isParked)],
  };
};
