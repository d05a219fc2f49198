import type { Driver, IAuthService, TableSession } from 'ydb-sdk';
import type { Logger } from '@doska/core/kernel';
import { sdk } from './sdk.ts';

export type SdkDriver = Driver;
export type YdbCredentials =
  | { readonly kind: 'anonymous' }
  | { readonly kind: 'token'; readonly token: string }
  | { readonly kind: 'password'; readonly user: string; readonly password: string }
  /** The cloud machine's own service account. */
  | { readonly kind: 'metadata' };
export type SdkDriverOptions = {
  readonly connectionString: string;
  readonly credentials: YdbCredentials;
  readonly sessionsMax: number;
  readonly keepAliveMs: number;
  readonly rootCertificates?: Uint8Array;
  readonly logger: Logger;
};

/** The server's own bound is 50 MB, the client's default 4. */
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
 * A driver whose failures all reach a caller. As it comes, the pool fills itself in the constructor and deletes broken
 * sessions behind everybody's back, and either ends the process by an unhandled rejection when the server is away.
 */
export const makeSdkDriver = (options: SdkDriverOptions): SdkDriver => {
  const { connectionString, credentials, sessionsMax, keepAliveMs, rootCertificates, logger } = options;
  const driver = new sdk.Driver({
    connectionString,
    authService: authOf(credentials, connectionString),
    poolSettings: {
      // A real zero means "the default", which is one; a text is taken for itself and counts none.
      minLimit: '0' as unknown as number,
      // Nobody waits inside of the pool: our own slots are fewer.
      maxLimit: sessionsMax * 2 + 8,
      keepAlivePeriod: keepAliveMs,
    },
    clientOptions: {
      'grpc.max_receive_message_length': RECEIVED_BYTES_MAX,
      // Nobody may close a channel: a call that comes after that is a rejection which nobody hears. They close when idle.
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
/** Out of the pool; a new one takes its place when it is needed. */
export const discardSession = (session: TableSession): void => void session.emit('SESSION_BROKEN');
