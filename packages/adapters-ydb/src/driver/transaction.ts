import type { ExecuteQuerySettings, TableSession } from 'ydb-sdk';
import { delayMs, sleep, type Backoff, type Clock, type Random } from '@doska/core/kernel';
import type { StructSpec } from './column-type.ts';
import {
  decodeResults,
  encodeParameters,
  queryText,
  type ParametersOf,
  type ParameterSpec,
  type Query,
  type ResultsOf,
} from './query.ts';
import { discardSession, rollbackOnce } from './sdk-driver.ts';
import { sdk } from './sdk.ts';
import { isOverload, statusOf, verdictOf } from './status.ts';

type Execute = <const P extends ParameterSpec, const R extends readonly StructSpec[]>(
  query: Query<P, R>,
  parameters: ParametersOf<P>,
) => Promise<ResultsOf<R>>;
/** The statements of one attempt. `commit` is the last one: it runs its statement and commits. */
export type YdbTx = { readonly run: Execute; readonly commit: Execute };

export type TransactionOptions = {
  readonly mode: 'serializable' | 'snapshot';
  /** True if the work may run twice; then an unknown outcome is retried. */
  readonly idempotent: boolean;
};
export type RetryPolicy = { readonly fast: Backoff; readonly slow: Backoff; readonly withinMs: number };
export const defaultRetryPolicy: RetryPolicy = {
  fast: { firstMs: 5, factor: 2, maxMs: 300, jitter: 1, attemptsMax: 60 },
  slow: { firstMs: 200, factor: 2, maxMs: 5_000, jitter: 0.5, attemptsMax: 8 },
  withinMs: 30_000,
};

export type TransactionNeeds = {
  /** Gives `work` a session, and takes it back afterwards. */
  readonly withSession: <T>(work: (session: TableSession) => Promise<T>) => Promise<T>;
  /** The answer, or `CallTimedOut`. */
  readonly inTime: <T>(call: Promise<T>) => Promise<T>;
  /** The full path of the tables. */
  readonly directory: string;
  readonly operationMs: number;
  readonly clock: Clock;
  readonly random: Random;
  readonly retry: RetryPolicy;
};

const settingsOf = (operationMs: number): ExecuteQuerySettings => {
  const timeout = { seconds: Math.floor(operationMs / 1_000), nanos: (operationMs % 1_000) * 1_000_000 };
  return new sdk.ExecuteQuerySettings()
    .withKeepInCache(true)
    .withOperationParams(new sdk.OperationParams().withOperationTimeout(timeout).withCancelAfter(timeout));
};
const BEGIN = { serializable: { serializableReadWrite: {} }, snapshot: { snapshotReadOnly: {} } } as const;

/**
 * One attempt: its statements, one after another, and whether its commit was sent. Two statements at the same time would begin
 * two transactions, and one of them would stay open in the session.
 */
class Attempt implements YdbTx {
  #txId: string | undefined;
  /** The commit was sent, or the transaction was rolled back. */
  #ended = false;
  #failed = false;
  #running: Promise<unknown> = Promise.resolve();
  committing = false;
  constructor(
    readonly session: TableSession,
    readonly needs: TransactionNeeds,
    readonly mode: TransactionOptions['mode'],
  ) {}

  readonly run: Execute = (query, parameters) => this.#inTurn(() => this.#execute(query, parameters, false));
  readonly commit: Execute = (query, parameters) =>
    this.#inTurn(() => this.#execute(query, parameters, true));

  #inTurn<T>(statement: () => Promise<T>): Promise<T> {
    const turn = this.#running.then(statement);
    // After a statement that failed no other one is sent.
    this.#running = turn.catch(() => void (this.#failed = true));
    return turn;
  }

  async #execute<const P extends ParameterSpec, const R extends readonly StructSpec[]>(
    query: Query<P, R>,
    parameters: ParametersOf<P>,
    commitTx: boolean,
  ): Promise<ResultsOf<R>> {
    if (this.#ended || this.#failed) throw new Error(`${query.name}: the transaction has ended`);
    const { directory, inTime, operationMs } = this.needs;
    // Never use commitTransaction: it retries a refused commit ten times and then reports that the transaction was not found.
    const control =
      this.#txId === undefined ? { beginTx: BEGIN[this.mode], commitTx } : { txId: this.#txId, commitTx };
    const text = queryText(query, directory);
    const values = encodeParameters(query.parameters, parameters);
    this.#ended = this.committing = commitTx;
    const answer = await inTime(this.session.executeQuery(text, values, control, settingsOf(operationMs)));
    this.#txId = answer.txMeta?.id || undefined;
    this.committing = false;
    return decodeResults(query as Query<ParameterSpec, R>, answer.resultSets);
  }
  /** Rolls back a transaction that is still open, with one call. A session that may still hold it is not used again. */
  async end(): Promise<void> {
    await this.#running;
    if (this.#ended || this.#txId === undefined) return;
    this.#ended = true;
    const isGone = await this.needs
      .inTime(rollbackOnce(this.session, this.#txId))
      .catch((): boolean => false);
    if (!isGone) discardSession(this.session);
  }
}

/**
 * Runs `work` in one transaction, and again from the start if it was refused. So `work` must have no effects but its
 * statements. An attempt of unknown outcome is repeated only if nothing can have been committed or `work` is idempotent.
 */
export const runTransaction = async <T>(
  needs: TransactionNeeds,
  { mode, idempotent }: TransactionOptions,
  work: (tx: YdbTx) => Promise<T>,
): Promise<T> => {
  const { clock, random, retry } = needs;
  const startedMs = clock.nowMs();
  for (let attempt = 1; ; attempt++) {
    let sent = false;
    try {
      return await needs.withSession(async (session) => {
        const tx = new Attempt(session, needs, mode);
        try {
          const outcome = await work(tx);
          await tx.end();
          return outcome;
        } catch (cause) {
          sent = tx.committing && mode === 'serializable';
          // A failed statement ends the transaction on the server; after an exception of our own it is still open.
          if (statusOf(cause) === undefined) await tx.end();
          throw cause;
        }
      });
    } catch (cause) {
      const verdict = verdictOf(cause);
      if (verdict === 'final' || (verdict === 'unsure' && sent && !idempotent)) throw cause;
      const policy = isOverload(cause) ? retry.slow : retry.fast;
      const pauseMs = delayMs(policy, attempt, random);
      if (attempt >= (policy.attemptsMax ?? Infinity)) throw cause;
      if (clock.nowMs() - startedMs + pauseMs > retry.withinMs) throw cause;
      await sleep(clock, pauseMs);
    }
  }
};
