import { err, ok, type Result } from 'neverthrow';
import {
  textViolations,
  wholeNumberViolations,
  withDeadLetters,
  type BatchHandler,
  type Clock,
  type Codec,
  type DeadLetter,
  type Delivered,
  type Logger,
  type LogPublisher,
  type Malformed,
  type Metrics,
  type RecordHandler,
  type RecordOutcome,
  type Unavailable,
} from '../../kernel/index.ts';
import { PHOTO_RESULTS, type PhotoRequest, type PhotoResult } from '../domain/photo.ts';
import type { PhotoCodecs } from '../ports/photo-codecs.port.ts';
import type { HandlePhotoRequest } from './handle-photo-request.ts';

const OFFER_ID_CHARS_MAX = 100;

type Needs = {
  readonly handle: HandlePhotoRequest;
  readonly codecs: Pick<PhotoCodecs, 'request' | 'result'>;
  readonly deadLetters: Codec<DeadLetter>;
  readonly log: LogPublisher;
  readonly clock: Clock;
  readonly logger: Logger;
  /** The pause after our own storage or the log failed. */
  readonly retryMs?: number;
  readonly metrics?: Metrics;
  /** See `withDeadLetters`. */
  readonly attemptsMax?: number;
};

/** Bounds that every store can keep. A bad address is not among them: it gets an answer of its own. */
const withinBounds = (request: PhotoRequest): Result<PhotoRequest, Malformed> => {
  const broken =
    textViolations('offer_id', request.offerId, { charsMin: 1, charsMax: OFFER_ID_CHARS_MAX })[0] ??
    wholeNumberViolations('at_us', request.atUs)[0];
  return broken
    ? err({ kind: 'Malformed', what: 'PhotoRequest', field: `${broken.path}: ${broken.message}` })
    : ok(request);
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
  ...letters
}: Needs): BatchHandler => {
  type Answer = Result<PhotoResult, Malformed | Unavailable>;
  const begun = new WeakMap<Delivered, Promise<Answer>>();
  const read = (record: Delivered): Result<PhotoRequest, Malformed> =>
    codecs.request.decode(record.value).andThen(withinBounds);
  /** What an offer says later is about what it said before; whatever kept that from being known keeps this too. */
  const after = async (
    earlier: Promise<Answer> | undefined,
    next: () => Promise<Answer>,
  ): Promise<Answer> => {
    const known = await earlier;
    return known?.isErr() && known.error.kind === 'Unavailable' ? known : next();
  };
  const retry = (reason: string, lasting = false): RecordOutcome => ({
    kind: 'retry',
    afterMs: retryMs,
    reason,
    lasting,
  });

  const finish: RecordHandler = async (record, signal) => {
    const answer = await (begun.get(record) ??
      read(record).asyncAndThen((request) => handle(request, signal)));
    if (answer.isErr() && answer.error.kind === 'Malformed') {
      const { what, field } = answer.error;
      return { kind: 'poison', reason: `Malformed: ${what}${field === undefined ? '' : ` (${field})`}` };
    }
    if (signal.aborted) return { kind: 'again' };
    if (answer.isErr())
      return retry(answer.error.what, answer.error.kind === 'Unavailable' && !answer.error.retryable);
    const { offerId, photos } = answer.value;
    if (photos.length === 0) return { kind: 'done' };
    const published = await log.publish([
      { topic: PHOTO_RESULTS, key: offerId, value: codecs.result.encode(answer.value) },
    ]);
    if (published.isOk()) return { kind: 'done' };
    const { error } = published;
    // An answer that no record can hold will not shrink.
    if (error.kind === 'RecordsTooLarge') return { kind: 'poison', reason: 'the answer is too large' };
    return error.kind === 'Unavailable' ? retry(error.what) : retry(error.kind);
  };
  const inOrder = withDeadLetters({ log, codec: deadLetters, clock, logger, ...letters }, finish);

  return async (batch, signal) => {
    const over = new AbortController();
    const ends = AbortSignal.any([signal, over.signal]);
    const lastOf = new Map<string, Promise<Answer>>();
    const answers = batch.records.map((record) => {
      const request = read(record);
      // By the offer, not by the record's key: two requests of an offer at a time would conflict in its row, and a conflict
      // makes the whole partition wait.
      const offerId = request.isOk() ? request.value.offerId : record.key;
      const answer = after(lastOf.get(offerId), async () =>
        request.asyncAndThen((known) => handle(known, ends)),
      );
      lastOf.set(offerId, answer);
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
