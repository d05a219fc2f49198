import { Ydb } from 'ydb-sdk-proto';
import { runQuery, type Parameters } from '../execution/run-query.ts';
import type { Relation } from '../execution/scope.ts';
import type { Mode, Transaction } from '../storage/transaction.ts';
import type { Statement } from '../syntax/ast.ts';
import { parseYql } from '../syntax/parse.ts';
import { typeToProto } from '../values/types.ts';
import { valueToProto } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import type { Sessions } from './sessions.ts';

export type QueryLimits = {
  readonly resultRowsMax: number;
  readonly textBytesMax: number;
  readonly resultBytesMax: number;
};
/** Runs inside what a failure undoes; throws when the call is to be refused. */
export type Refusal = () => void;

export const modeOf = (settings: Ydb.Table.ITransactionSettings | null | undefined): Mode => {
  if (settings?.serializableReadWrite) return 'serializable';
  if (settings?.snapshotReadOnly) return 'snapshot';
  throw YqlError.unsupported('transactions that are neither serializable nor read a snapshot');
};
const resultSet = ({ columns, rows }: Relation, { resultRowsMax }: QueryLimits): Ydb.IResultSet => ({
  columns: columns.map(({ name, type }) => ({ name, type: typeToProto(type) })),
  rows: rows
    .slice(0, resultRowsMax)
    .map((row) => ({ items: columns.map(({ type }, i) => valueToProto(type, row[i]!)) })),
  truncated: rows.length > resultRowsMax,
});

export class DataQueries {
  readonly #parsed = new Map<string, readonly Statement[]>();
  constructor(
    readonly sessions: Sessions,
    readonly limits: QueryLimits,
    readonly nowMs: () => number,
  ) {}

  #parse(text: string): readonly Statement[] {
    if (Buffer.byteLength(text) > this.limits.textBytesMax)
      throw new YqlError('BAD_REQUEST', `Query text size exceeds ${this.limits.textBytesMax} bytes`);
    const statements = this.#parsed.get(text) ?? parseYql(text);
    if (this.#parsed.size < 1_000) this.#parsed.set(text, statements);
    return statements;
  }
  #run(tx: Transaction, request: Ydb.Table.ExecuteDataQueryRequest): readonly Ydb.IResultSet[] {
    const text = request.query?.yqlText;
    if (typeof text !== 'string') throw YqlError.unsupported('prepared queries');
    const results = runQuery({
      statements: this.#parse(text),
      parameters: request.parameters as Parameters,
      database: this.sessions.database,
      tx,
      nowUs: BigInt(Math.floor(this.nowMs() * 1_000)),
    });
    return results.map((result) => resultSet(result, this.limits));
  }
  execute(request: Ydb.Table.ExecuteDataQueryRequest, refuse: Refusal): Promise<Uint8Array> {
    const { sessions } = this;
    const session = sessions.get(request.sessionId);
    const { txId, beginTx, commitTx } = request.txControl ?? {};
    const tx = txId ? sessions.transaction(session, txId) : sessions.begin(session, modeOf(beginTx));
    return sessions.guarded(session, tx, () => {
      refuse();
      const resultSets = [...this.#run(tx, request)];
      if (commitTx) {
        tx.commit();
        sessions.forget(session, tx);
      }
      const result = Ydb.Table.ExecuteQueryResult.encode({
        resultSets,
        txMeta: { id: commitTx ? '' : tx.id },
      }).finish();
      if (result.length > this.limits.resultBytesMax)
        throw new YqlError(
          'PRECONDITION_FAILED',
          `Query result size limit exceeded. (${result.length} > ${this.limits.resultBytesMax})`,
        );
      return result;
    });
  }
}
