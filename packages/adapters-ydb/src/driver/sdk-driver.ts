import type { Driver, IAuthService, TableSession } from 'ydb-sdk';
import type { Logger } from '@doska/core/kernel';
import { sdk } from './sdk.ts';

export type SdkDriver = Driver;
export type YdbCredentials =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  /** The service account of the cloud machine. */
  | { readonly kind: 'metadata' };
export type SdkDriverOptions = {
  readonly connectionString: string;
  readonly credentials: YdbCredentials;
  readonly sessionsMax: number;
  readonly keepAliveMs: number;
  readonly rootCertificates?: Uint8Array;
  readonly logger: Logger;
};

/** The server's limit is 50 MB, the client's default 4 MB. */
const RECEIVED_BYTES_MAX = 64 * 2 ** 20;
const IDLE_MS = 10_000;

const authOf = (credentials: YdbCredentials, connectionString: string): IAuthService => {
  switch (credentials.kind) {
    case 'anonymous':
      return new sdk.AnonymousAuthService();
    case 'token':
      return new sdk.TokenAuthService(credentials.token);
    case 'password':
      return new sdk.StaticCredentialsAuthService(credentials.user, credentials.password, connectionString);
    case 'metadata':
      return new sdk.MetadataAuthService();
  }
};
const quietLogger = (logger: Logger) => {
  const tell = (...words: readonly unknown[]): void =>
    logger.warn('ydb-sdk', {
      said: words.map((word) => (word instanceof Error ? word.message : String(word))).join(' '),
    });
  const silent = (): void => {};
  return { fatal: tell, error: tell, warn: tell, info: silent, debug: silent, trace: silent };
};

type Pool = { deleteSession(session: TableSession): Promise<void> };
const poolOf = (driver: SdkDriver): Pool => (driver.tableClient as unknown as { readonly pool: Pool }).pool;

/**
 * A driver whose failures all reach a caller. By default the pool creates sessions in the constructor and deletes broken
 * ones in the background; both end the process by an unhandled rejection while the server is unreachable.
 */
export const makeSdkDriver = (options: SdkDriverOptions): SdkDriver => {
  const { connectionString, credentials, sessionsMax, keepAliveMs, rootCertificates, logger } = options;
  const driver = new sdk.Driver({
    connectionString,
    authService: authOf(credentials, connectionString),
    poolSettings: {
      // The number 0 means the default, which is 1. The text '0' is taken as it is, and the pool creates no session.
      minLimit: '0' as unknown as number,
      // No caller waits inside the pool: there are fewer of our own slots.
      maxLimit: sessionsMax * 2 + 8,
      keepAlivePeriod: keepAliveMs,
    },
    clientOptions: {
      'grpc.max_receive_message_length': RECEIVED_BYTES_MAX,
      // Never close a channel: a later call would be an unhandled rejection. Channels close when idle.
      'grpc.client_idle_timeout_ms': keepAliveMs + IDLE_MS,
    },
    ...(rootCertificates ? { sslCredentials: { rootCertificates: Buffer.from(rootCertificates) } } : {}),
    logger: quietLogger(logger),
  });
  const pool = poolOf(driver);
  const deleteSession = pool.deleteSession.bind(pool);
  pool.deleteSession = (session) =>
    deleteSession(session).catch((cause: unknown) =>
      logger.debug('a session could not be deleted', { cause: String(cause) }),
    );
  return driver;
};
/** Removes the session from the pool; the pool creates a new one when needed. */
export const discardSession = (session: TableSession): void => void session.emit('SESSION_BROKEN');
