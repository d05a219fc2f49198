import type { ResultAsync } from 'neverthrow';
import {
  delayMs,
  limitRepeats,
  sleep,
  unavailable,
  type Backoff,
  type Clock,
  type Logger,
  type Random,
  type Unavailable,
} from '@doska/core/kernel';
import type { TableSession } from 'ydb-sdk';
import { guard } from './guard.ts';
import { PING } from './ping.ts';
import { parseYdbAddress, type YdbAddress } from './address.ts';
import { authServiceOf, tokenSourceOf, type YdbCredentials } from './login/credentials.ts';
import { LoginFailed } from './login/login-failed.ts';
import type { TokenSource } from './login/token-source.ts';
import { discardSession, makeSdkDriver, type SdkDriver } from './sdk-driver.ts';
import { Slots } from './slots.ts';
import { CallTimedOut, isRefusedToken, spoilsSession } from './status.ts';
import { timeLimit } from './time-limit.ts';
import {
  defaultRetryPolicy,
  runTransaction,
  type RetryPolicy,
  type TransactionNeeds,
  type TransactionOptions,
  type YdbTx,
} from './transaction.ts';

export type YdbOptions = {
  /** `grpc://host:2136/database` or `grpcs://host:2135/?database=/path`. */
  readonly connectionString: string;
  /** The directory of the tables, below the database; the migrations create it. */
  readonly directory?: string;
  readonly credentials?: YdbCredentials;
  readonly rootCertificates?: Uint8Array;
  readonly clock: Clock;
  readonly random: Random;
  readonly logger: Logger;
  /** The most sessions at a time, and how long a caller waits for one. */
  readonly sessionsMax?: number;
  readonly sessionWaitMs?: number;
  /** The time limit of the creation of a session. */
  readonly sessionCreateMs?: number;
  readonly waitingMax?: number;
  /** The time limit of an operation on the server. */
  readonly operationMs?: number;
  /** The client gives a call up this much later, so that the server's own timeout arrives first. */
  readonly graceMs?: number;
  readonly keepAliveMs?: number;
  /** How often a connection is tested while a call waits for its answer, and the time limit of the test. */
  readonly pingMs?: number;
  readonly echoMs?: number;
  readonly connectMs?: number;
  readonly connect?: Backoff;
  readonly retry?: RetryPolicy;
};
/** A connection that survives restarts of its server. No type of ydb-sdk leaves `driver/`. */
export type YdbClient = {
  readonly directory: string;
  /** Serializable; see `runTransaction`. */
  readonly write: <T>(
    what: string,
    work: (tx: YdbTx) => Promise<T>,
    options?: Partial<Pick<TransactionOptions, 'idempotent'>>,
  ) => ResultAsync<T, Unavailable>;
  /** Reads one snapshot; never refused because of concurrent writes. */
  readonly read: <T>(what: string, work: (tx: YdbTx) => Promise<T>) => ResultAsync<T, Unavailable>;
  /** Whether the database answers. */
  readonly ping: () => ResultAsync<void, Unavailable>;
  readonly sdk: {
    readonly driver: SdkDriver;
    readonly withSession: TransactionNeeds['withSession'];
    readonly inTime: TransactionNeeds['inTime'];
    /** Below the database. */
    readonly relativeDirectory: string;
  };
  /** May be called twice. */
  readonly close: () => Promise<void>;
};

const CONNECT: Backoff = { firstMs: 200, factor: 2, maxMs: 5_000, jitter: 0.5, attemptsMax: 5 };
const DIRECTORY = /^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/;

type Connected = { readonly driver: SdkDriver; readonly tokens: TokenSource | undefined };
const clientOf = (
  { driver, tokens }: Connected,
  { database }: YdbAddress,
  options: YdbOptions,
): YdbClient => {
  const { clock, random, directory = 'doska', operationMs = 10_000, sessionsMax = 32 } = options;
  const {
    sessionWaitMs = 10_000,
    waitingMax = 10_000,
    graceMs = 2_000,
    retry = defaultRetryPolicy,
  } = options;
  const slots = new Slots(clock, { max: sessionsMax, waitMs: sessionWaitMs, waitingMax });
  const inTime = timeLimit(clock, operationMs + graceMs);
  const used = async <T>(session: TableSession, work: (session: TableSession) => Promise<T>): Promise<T> => {
    try {
      return await work(session);
    } catch (cause) {
      if (spoilsSession(cause)) discardSession(session);
      if (isRefusedToken(cause)) tokens?.forget();
      throw cause;
    }
  };
  const withSession: TransactionNeeds['withSession'] = (work) =>
    slots.use(() => driver.tableClient.withSession((session) => used(session, work), sessionWaitMs));
  const needs: TransactionNeeds = {
    withSession,
    inTime,
    clock,
    random,
    retry,
    operationMs,
    directory: `${database}/${directory}`,
  };
  let closing: Promise<void> | undefined;
  const read: YdbClient['read'] = (what, work) =>
    guard(what, () => runTransaction(needs, { mode: 'snapshot', idempotent: true }, work));
  return {
    directory: needs.directory,
    write: (what, work, { idempotent = false } = {}) =>
      guard(what, () => runTransaction(needs, { mode: 'serializable', idempotent }, work)),
    read,
    ping: () => read('ping', (tx) => tx.commit(PING, {})).map(() => undefined),
    sdk: { driver, withSession, inTime, relativeDirectory: directory },
    close: () => (closing ??= inTime(driver.destroy()).catch(() => {})),
  };
};

/** A driver that has failed never recovers, so every attempt gets a new one. */
const connectOnce = async (
  address: YdbAddress,
  tokens: TokenSource | undefined,
  options: YdbOptions,
): Promise<Connected> => {
  const { clock, logger, rootCertificates, sessionsMax = 32, keepAliveMs = 60_000 } = options;
  const { connectMs = 10_000, sessionCreateMs = 5_000, pingMs = 20_000, echoMs = 10_000 } = options;
  const driver = makeSdkDriver({
    connectionString: address.connectionString,
    authService: authServiceOf(tokens),
    sessionsMax,
    keepAliveMs,
    pingMs,
    echoMs,
    createInTime: timeLimit(clock, sessionCreateMs),
    logger,
    ...(rootCertificates ? { rootCertificates } : {}),
  });
  try {
    if (await driver.ready(connectMs)) return { driver, tokens };
    throw new CallTimedOut(connectMs);
  } catch (cause) {
    await timeLimit(clock, connectMs)(driver.destroy()).catch(() => {});
    throw cause;
  }
};
/** A connected client, or `Unavailable` after a bounded number of attempts. */
export const connectYdb = (options: YdbOptions): ResultAsync<YdbClient, Unavailable> => {
  const { clock, random, connect = CONNECT, directory = 'doska' } = options;
  const { credentials = { kind: 'anonymous' }, rootCertificates } = options;
  const logger = limitRepeats(options.logger, clock); // the sdk repeats itself while the server is away
  if (!DIRECTORY.test(directory)) throw new RangeError(`not a valid directory name: ${directory}`);
  const parsed = parseYdbAddress(options.connectionString);
  if (parsed.isErr()) throw new RangeError(`not a valid connection string: ${parsed.error}`);
  const address = parsed.value;
  const tokens = tokenSourceOf(credentials, address, {
    clock,
    logger,
    ...(rootCertificates ? { rootCertificates } : {}),
  });
  return guard('ydb.connect', async () => {
    if (process.env['YDB_ENDPOINT'])
      logger.warn('YDB_ENDPOINT is set: ydb-sdk sends every call to that address');
    for (let attempt = 1; ; attempt++) {
      try {
        return clientOf(await connectOnce(address, tokens, { ...options, logger }), address, options);
      } catch (cause) {
        if (isRefusedToken(cause)) tokens?.forget();
        if (attempt >= (connect.attemptsMax ?? Infinity)) throw cause;
        logger.warn('YDB does not answer', { attempt, cause: String(cause) });
        await sleep(clock, delayMs(connect, attempt, random));
      }
    }
  }).mapErr(({ cause }) => {
    if (cause instanceof LoginFailed) return unavailable(cause.message, cause);
    if (isRefusedToken(cause)) return unavailable('YDB refuses the login', cause);
    return unavailable('YDB does not answer', cause);
  });
};
