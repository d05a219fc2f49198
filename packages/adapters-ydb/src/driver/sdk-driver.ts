import type { Driver, IAuthService, TableSession } from 'ydb-sdk';
import type { Logger } from '@doska/core/kernel';
import { sdk } from './sdk.ts';

export type SdkDriver = Driver;
export type SdkDriverOptions = {
  readonly connectionString: string;
  readonly authService: IAuthService;
  readonly sessionsMax: number;
  readonly keepAliveMs: number;
  /** A connection is tested this often while a call waits for its answer, and is closed without an echo in time. */
  readonly pingMs: number;
  readonly echoMs: number;
  readonly rootCertificates?: Uint8Array;
  /** The time limit of the creation of a session. */
  readonly createInTime: <T>(call: Promise<T>) => Promise<T>;
  readonly logger: Logger;
};

/** The server's limit is 50 MB, the client's default 4 MB. */
const RECEIVED_BYTES_MAX = 64 * 2 ** 20;
const IDLE_MS = 10_000;

const quietLogger = (logger: Logger) => {
  const tell = (...words: readonly unknown[]): void =>
    logger.warn('ydb-sdk', {
      said: words.map((word) => (word instanceof Error ? word.message : String(word))).join(' '),
    });
  const silent = (): void => {};
  return { fatal: tell, error: tell, warn: tell, info: silent, debug: silent, trace: silent };
};

/** What the pool and its sessions have besides their declared types. */
type Pool = {
  createSession(): Promise<TableSession>;
  deleteSession(session: TableSession): Promise<void>;
};
const poolOf = (driver: SdkDriver): Pool => (driver.tableClient as unknown as { readonly pool: Pool }).pool;
type SessionApi = {
  readonly sessionId: string;
  readonly api: {
    rollbackTransaction(request: {
      readonly sessionId: string;
      readonly txId: string;
    }): Promise<{ readonly operation?: { readonly status?: number | null } | null }>;
  };
};

/**
 * A driver whose failures all reach a caller. By default the pool creates sessions in the constructor and deletes broken
 * ones in the background; both end the process by an unhandled rejection while the server is unreachable. And it waits
 * without an end for a session of a silent node: a session that arrives late is free for the next caller.
 */
export const makeSdkDriver = (options: SdkDriverOptions): SdkDriver => {
  const { connectionString, authService, sessionsMax, keepAliveMs, rootCertificates, logger } = options;
  const driver = new sdk.Driver({
    connectionString,
    authService,
    poolSettings: {
      // The number 0 means the default, which is 1. The text '0' is taken as it is, and the pool creates no session.
      minLimit: '0' as unknown as number,
      // No caller waits inside the pool: there are fewer of our own slots.
      maxLimit: sessionsMax * 2 + 8,
      keepAlivePeriod: keepAliveMs,
    },
    clientOptions: {
      'grpc.max_receive_message_length': RECEIVED_BYTES_MAX,
      'grpc.keepalive_time_ms': options.pingMs,
      'grpc.keepalive_timeout_ms': options.echoMs,
      // Never close a channel: a later call would be an unhandled rejection. Channels close when idle.
      'grpc.client_idle_timeout_ms': keepAliveMs + IDLE_MS,
    },
    ...(rootCertificates ? { sslCredentials: { rootCertificates: Buffer.from(rootCertificates) } } : {}),
    logger: quietLogger(logger),
  });
  const pool = poolOf(driver);
  const createSession = pool.createSession.bind(pool);
  pool.createSession = () => options.createInTime(createSession());
  const deleteSession = pool.deleteSession.bind(pool);
  pool.deleteSession = (session) =>
    deleteSession(session).catch((cause: unknown) =>
      logger.debug('a session could not be deleted', { cause: String(cause) }),
    );
  return driver;
};
/** Removes the session from the pool; the pool creates a new one when needed. */
export const discardSession = (session: TableSession): void => void session.emit('SESSION_BROKEN');
/** Rolls back with one call. The method of ydb-sdk repeats a refused rollback ten times. Returns whether it succeeded. */
export const rollbackOnce = async (session: TableSession, txId: string): Promise<boolean> => {
  const { api, sessionId } = session as unknown as SessionApi;
  const { operation } = await api.rollbackTransaction({ sessionId, txId });
  return operation?.status === sdk.StatusCode.SUCCESS;
};
