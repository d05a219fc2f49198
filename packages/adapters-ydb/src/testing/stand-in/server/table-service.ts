import { Ydb } from 'ydb-sdk-proto';
import { schemaFromProto, schemaToProto } from '../execution/schema-statement.ts';
import { typeFromProto } from '../values/types.ts';
import { YqlError } from '../yql-error.ts';
import { modeOf, type DataQueries, type Refusal } from './data-query.ts';
import type { Directories } from './directories.ts';
import { method, type Method } from './method.ts';
import type { Sessions } from './sessions.ts';

const T = Ydb.Table;
const PATH = '/Ydb.Table.V1.TableService/';

const sessionMethods = (sessions: Sessions): readonly Method[] => [
  method(`${PATH}CreateSession`, T.CreateSessionRequest, T.CreateSessionResponse, (_request, refuse) => {
    refuse();
    return T.CreateSessionResult.encode({ sessionId: sessions.create() }).finish();
  }),
  method(`${PATH}DeleteSession`, T.DeleteSessionRequest, T.DeleteSessionResponse, ({ sessionId }, refuse) => {
    refuse();
    sessions.delete(sessionId);
    return undefined;
  }),
  method(`${PATH}KeepAlive`, T.KeepAliveRequest, T.KeepAliveResponse, ({ sessionId }, refuse) => {
    refuse();
    sessions.get(sessionId);
    return T.KeepAliveResult.encode({
      sessionStatus: T.KeepAliveResult.SessionStatus.SESSION_STATUS_READY,
    }).finish();
  }),
];
const transactionMethods = (sessions: Sessions, queries: DataQueries): readonly Method[] => {
  const ending = (
    { sessionId, txId }: { sessionId: string; txId: string },
    refuse: Refusal,
    commit: boolean,
  ) => {
    const session = sessions.get(sessionId);
    const tx = sessions.transaction(session, txId);
    return sessions.guarded(session, tx, () => {
      refuse();
      if (commit) tx.commit();
      sessions.forget(session, tx);
    });
  };
  return [
    method(
      `${PATH}ExecuteDataQuery`,
      T.ExecuteDataQueryRequest,
      T.ExecuteDataQueryResponse,
      (request, refuse) => queries.execute(request, refuse),
    ),
    method(
      `${PATH}BeginTransaction`,
      T.BeginTransactionRequest,
      T.BeginTransactionResponse,
      (request, refuse) => {
        refuse();
        const tx = sessions.begin(sessions.get(request.sessionId), modeOf(request.txSettings));
        return T.BeginTransactionResult.encode({ txMeta: { id: tx.id } }).finish();
      },
    ),
    method(
      `${PATH}CommitTransaction`,
      T.CommitTransactionRequest,
      T.CommitTransactionResponse,
      async (request, refuse) => {
        await ending(request, refuse, true);
        return T.CommitTransactionResult.encode({}).finish();
      },
    ),
    method(
      `${PATH}RollbackTransaction`,
      T.RollbackTransactionRequest,
      T.RollbackTransactionResponse,
      async (request, refuse) => {
        await ending(request, refuse, false);
        return undefined;
      },
    ),
  ];
};
const schemaMethods = (sessions: Sessions, directories: Directories): readonly Method[] => {
  const { database } = sessions;
  return [
    method(`${PATH}CreateTable`, T.CreateTableRequest, T.CreateTableResponse, (request, refuse) => {
      refuse();
      sessions.get(request.sessionId);
      directories.mustHoldParentOf(request.path);
      database.create(request.path, schemaFromProto(request));
      return undefined;
    }),
    method(`${PATH}AlterTable`, T.AlterTableRequest, T.AlterTableResponse, (request, refuse) => {
      refuse();
      sessions.get(request.sessionId);
      const { addColumns, ...rest } = request;
      const others = Object.entries(rest).filter(
        ([name, value]) =>
          !['sessionId', 'path', 'operationParams'].includes(name) &&
          value &&
          Object.keys(value as object).length > 0,
      );
      if (others.length > 0)
        throw YqlError.unsupported(`AlterTable with ${others.map(([name]) => name).join(', ')}`);
      database.addColumns(
        request.path,
        addColumns.map(({ name, type }) => ({ name: name ?? '', type: typeFromProto(type) })),
      );
      return undefined;
    }),
    method(`${PATH}DropTable`, T.DropTableRequest, T.DropTableResponse, (request, refuse) => {
      refuse();
      sessions.get(request.sessionId);
      database.drop(request.path);
      return undefined;
    }),
    method(`${PATH}DescribeTable`, T.DescribeTableRequest, T.DescribeTableResponse, (request, refuse) => {
      refuse();
      sessions.get(request.sessionId);
      const { schema, path } = database.table(request.path);
      const self = { name: path.split('/').at(-1)!, type: Ydb.Scheme.Entry.Type.TABLE };
      return T.DescribeTableResult.encode({ ...schemaToProto(schema), self }).finish();
    }),
  ];
};
export const tableMethods = (
  sessions: Sessions,
  queries: DataQueries,
  directories: Directories,
): readonly Method[] => [
  ...sessionMethods(sessions),
  ...transactionMethods(sessions, queries),
  ...schemaMethods(sessions, directories),
];
