import { setTimeout as wait } from 'node:timers/promises';
import {
  Server,
  ServerCredentials,
  status,
  type Metadata,
  type sendUnaryData,
  type ServerUnaryCall,
} from '@grpc/grpc-js';
import { Ydb } from 'ydb-sdk-proto';
import { Accounts, authMethods, LOGIN } from './server/accounts.ts';
import { DataQueries } from './server/data-query.ts';
import { Directories, schemeMethods } from './server/directories.ts';
import { Faults } from './server/faults.ts';
import { method, type Method } from './server/method.ts';
import { Relay } from './server/relay.ts';
import { Sessions } from './server/sessions.ts';
import { tableMethods } from './server/table-service.ts';
import { Database } from './storage/database.ts';
import { YqlError, type StatusName } from './yql-error.ts';

export type StandInOptions = {
  readonly database?: string;
  readonly nowMs?: () => number;
  /** A SELECT's rows beyond this are cut off, and the answer says so: YDB's own bound. */
  readonly resultRowsMax?: number;
  readonly resultBytesMax?: number;
  readonly textBytesMax?: number;
  /** YDB tolerates this; the stand-in refuses it, so that no code relies on it. */
  readonly transactionBytesMax?: number;
  /** Only calls over TLS. */
  readonly tls?: { readonly key: string; readonly cert: string };
  /** Only calls with a token that `accounts` knows. */
  readonly needsToken?: boolean;
};
export type StandIn = {
  readonly connectionString: string;
  readonly tables: Database;
  readonly sessions: Sessions;
  readonly faults: Faults;
  readonly accounts: Accounts;
  /** The names of all calls so far. */
  readonly calls: string[];
  /** Breaks every connection; the next one works. */
  readonly drop: () => void;
  /** The connections that are open now stay open, but carry nothing any more. New ones work. */
  readonly freeze: () => void;
  /** Closes the port until `back` is called. */
  readonly away: () => Promise<void>;
  readonly back: () => Promise<void>;
  readonly close: () => Promise<void>;
};

const { StatusCode } = Ydb.StatusIds;
const LOCKS_INVALIDATED = 2001;
const failed = (name: StatusName, message: string): Ydb.Operations.IOperation => ({
  ready: true,
  status: StatusCode[name],
  issues: [{ message, severity: 1, issueCode: name === 'ABORTED' ? LOCKS_INVALIDATED : 0 }],
});
const done = (result: Uint8Array | undefined): Ydb.Operations.IOperation => ({
  ready: true,
  status: StatusCode.SUCCESS,
  ...(result ? { result: { type_url: '', value: result } } : {}),
});
const credentialsOf = (tls: StandInOptions['tls']): ServerCredentials =>
  tls
    ? ServerCredentials.createSsl(null, [
        { private_key: Buffer.from(tls.key), cert_chain: Buffer.from(tls.cert) },
      ])
    : ServerCredentials.createInsecure();
/** A bad or expired session no longer exists. */
const LOST_SESSIONS: ReadonlySet<StatusName> = new Set(['BAD_SESSION', 'SESSION_EXPIRED']);

/**
 * A server over real sockets that the real client talks to: sessions, transactions with snapshots and read ranges, and a
 * part of YQL that is checked as strictly as YDB does. What it does not know it refuses. It says nothing about speed,
 * plans, splits of tables and the deletion by TTL.
 */
export const startStandIn = async (options: StandInOptions = {}): Promise<StandIn> => {
  const { database = '/local', nowMs = () => Date.now(), transactionBytesMax = 1_000_000 } = options;
  const { resultRowsMax = 1_000, textBytesMax = 10_240, resultBytesMax = 50 * 2 ** 20 } = options;
  const host = options.tls ? 'localhost' : '127.0.0.1'; // certificates have names
  const tables = new Database();
  const sessions = new Sessions(tables, transactionBytesMax);
  const queries = new DataQueries(sessions, { resultRowsMax, textBytesMax, resultBytesMax }, nowMs);
  const directories = new Directories(database);
  const faults = new Faults();
  const accounts = new Accounts(options.needsToken ?? false);
  const calls: string[] = [];
  let innerPort = 0;
  const relay = new Relay(() => innerPort);

  const answer = async ({ operation }: Method, request: object, refusal: StatusName | undefined) => {
    const refuse = (): void => {
      if (refusal) throw new YqlError(refusal, 'as planned');
    };
    try {
      return done(await operation(request, refuse));
    } catch (cause) {
      if (!(cause instanceof YqlError)) return failed('INTERNAL_ERROR', `stand-in: ${String(cause)}`);
      if (LOST_SESSIONS.has(cause.status))
        sessions.delete((request as { sessionId?: string }).sessionId ?? '');
      return failed(cause.status, cause.message);
    }
  };
  const handle = async (
    one: Method,
    request: object,
    metadata: Metadata,
    callback: sendUnaryData<object>,
  ) => {
    calls.push(one.name);
    const fail = (code: number): void => callback({ code, details: 'as planned' });
    if (one.name !== LOGIN && !accounts.lets(metadata)) return fail(status.UNAUTHENTICATED);
    const fault = faults.take(one.name, request);
    if (fault?.kind === 'drop') return relay.drop();
    if (fault?.kind === 'hang') return;
    if (fault?.kind === 'grpc') return fail(fault.code);
    if (fault?.kind === 'late') {
      faults.late++;
      await wait(fault.ms);
      faults.late--;
    }
    const operation = await answer(one, request, fault?.kind === 'refuse' ? fault.status : undefined);
    if (fault?.kind === 'applyThenDrop') return relay.drop();
    if (fault?.kind === 'applyThenHang') return;
    if (fault?.kind === 'applyThenGrpc') return fail(fault.code);
    callback(null, fault?.kind === 'applyThenRefuse' ? failed(fault.status, 'as planned') : operation);
  };
  const D = Ydb.Discovery;
  const discovery = method(
    '/Ydb.Discovery.V1.DiscoveryService/ListEndpoints',
    D.ListEndpointsRequest,
    D.ListEndpointsResponse,
    (_request, refuse) => {
      refuse();
      return D.ListEndpointsResult.encode({
        endpoints: [{ address: host, port: relay.port, service: ['table_service'] }],
      }).finish();
    },
  );
  const server = new Server({
    'grpc.max_receive_message_length': 64 * 2 ** 20,
    'grpc.max_send_message_length': 64 * 2 ** 20,
  });
  for (const one of [
    discovery,
    ...tableMethods(sessions, queries, directories),
    ...schemeMethods(directories),
    ...authMethods(accounts),
  ])
    server.addService(
      { [one.name]: one.definition },
      {
        [one.name]: (call: ServerUnaryCall<object, object>, callback: sendUnaryData<object>) =>
          void handle(one, call.request, call.metadata, callback),
      },
    );
  innerPort = await new Promise<number>((resolve, reject) =>
    server.bindAsync('127.0.0.1:0', credentialsOf(options.tls), (error, port) =>
      error ? reject(error) : resolve(port),
    ),
  );
  await relay.listen();
  return {
    connectionString: `${options.tls ? 'grpcs' : 'grpc'}://${host}:${relay.port}${database}`,
    tables,
    sessions,
    faults,
    accounts,
    calls,
    drop: () => relay.drop(),
    freeze: () => relay.freeze(),
    away: () => relay.close(),
    back: () => relay.listen(),
    close: async () => {
      await relay.close();
      server.forceShutdown();
    },
  };
};
