import type { Result } from 'neverthrow';
import {
  withDeadLetters,
  type BatchHandler,
  type Clock,
  type Codec,
  type DeadLetter,
  type Delivered,
  type Logger,
  type LogPublisher,
  type Malformed,
  type RecordHandler,
  type RecordOutcome,
  type Unavailable,
} from '../../kernel/index.ts';
import { PHOTO_RESULTS, type PhotoResult } from '../domain/photo.ts';
import type { PhotoCodecs } from '../ports/photo-codecs.port.ts';
import type { HandlePhotoRequest } from './handle-photo-request.ts';

type Needs = {
  readonly handle: HandlePhotoRequest;
  readonly codecs: Pick<PhotoCodecs, 'request' | 'result'>;
  readonly deadLetters: Codec<DeadLetter>;
  readonly log: LogPublisher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The pause after our own storage or the log failed. */
  readonly retryMs?: number;
};

/**
 * The handler of `photo-requests`: all requests of a batch are worked on together, their answers are published in the
 * order of the requests, and a position moves only past what was published. Requests of one offer wait for each other. A
 * request that leaves nothing to say is not answered. A malformed request is put aside.
 */
export const answerPhotoRequests = ({
  handle,
  codecs,
  deadLetters,
  log,
  clock,
  logger,
  retryMs = 5_000,
}: Needs): BatchHandler => {
  type Answer = Result<PhotoResult, Malformed | Unavailable>;
  const begun = new WeakMap<Delivered, Promise<Answer>>();
  const answerTo = async (record: Delivered, signal: AbortSignal): Promise<Answer> =>
    codecs.request.decode(record.value).asyncAndThen((request) => handle(request, signal));
  /** What an offer says later is about what it said before; whatever kept that from being known keeps this too. */
  const after = async (
    earlier: Promise<Answer> | undefined,
    next: () => Promise<Answer>,
  ): Promise<Answer> => {
    const known = await earlier;
    return known?.isErr() && known.error.kind === 'Unavailable' ? known : next();
  };
  const retry = (reason: string): RecordOutcome => ({ kind: 'retry', afterMs: retryMs, reason });

  const finish: RecordHandler = async (record, signal) => {
    const answer = await (begun.get(record) ?? answerTo(record, signal));
    if (answer.isErr() && answer.error.kind === 'Malformed') {
      const { what, field } = answer.error;
      return { kind: 'poison', reason: `Malformed: ${what}${field === undefined ? '' : ` (${field})`}` };
    }
    if (signal.aborted) return { kind: 'again' };
    if (answer.isErr()) return retry(answer.error.what);
    const { offerId, photos } = answer.value;
    if (photos.length === 0) return { kind: 'done' };
    const published = await log.publish([
      { topic: PHOTO_RESULTS, key: offerId, value: codecs.result.encode(answer.value) },
    ]);
    if (published.isOk()) return { kind: 'done' };
    const { error } = published;
    // An answer that no record can hold will not shrink.
    if (error.kind === 'RecordsTooLarge') return { kind: 'poison', reason: 'the answer is too large' };
    return retry(error.kind === 'Unavailable' ? error.what : error.kind);
  };
  const inOrder = withDeadLetters({ log, codec: deadLetters, clock, logger }, finish);

  return async (batch, signal) => {
    const over = new AbortController();
    const ends = AbortSignal.any([signal, over.signal]);
    const lastOf = new Map<string, Promise<Answer>>();
    const answers = batch.records.map((record) => {
      const answer = after(lastOf.get(record.key), () => answerTo(record, ends));
      lastOf.set(record.key, answer);
      begun.set(record, answer);
      return answer;
    });
    try {
      return await inOrder(batch, signal);
    } finally {
      // A batch that stopped half-way leaves nothing running behind it.
      over.abort();
      await Promise.allSettled(answers);
    }
  };
};
