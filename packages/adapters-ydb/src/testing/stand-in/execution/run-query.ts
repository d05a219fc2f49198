import { type Ydb } from 'ydb-sdk-proto';
import type { Database } from '../storage/database.ts';
import type { Transaction } from '../storage/transaction.ts';
import { isSelect, type Statement } from '../syntax/ast.ts';
import { sameType, typeFromProto, typeFromSyntax, typeText } from '../values/types.ts';
import { valueFromProto } from '../values/values.ts';
import { YqlError } from '../yql-error.ts';
import { compileExpression } from './compile-expression.ts';
import { QueryContext } from './query-context.ts';
import type { Relation } from './scope.ts';
import { runSelect } from './select.ts';
import { runDelete, runDeleteOn, runUpdate, runUpdateOn, runWrite } from './write.ts';

export type Parameters = Readonly<Record<string, Ydb.TypedValue>>;
type Run = {
  readonly statements: readonly Statement[];
  readonly parameters: Parameters;
  readonly database: Database;
  readonly tx: Transaction;
  readonly nowUs: bigint;
};

/** Every parameter is declared, every declared one is given, and their types are the same to the last Optional. */
const bindParameters = ({ statements, parameters }: Run, context: QueryContext): void => {
  const refuse = (why: string): never => {
    throw new YqlError('BAD_REQUEST', why);
  };
  const declared = new Set<string>();
  for (const statement of statements) {
    if (statement.kind !== 'declare') continue;
    const name = `$${statement.name}`;
    declared.add(name);
    const wanted = typeFromSyntax(statement.type);
    const given = parameters[name] ?? refuse(`Missing value for parameter: ${name}`);
    const type = typeFromProto(given.type);
    if (!sameType(type, wanted))
      refuse(`Parameter ${name} type mismatch, expected: ${typeText(wanted)}, actual: ${typeText(type)}`);
    context.name(statement.name, { value: { type, value: valueFromProto(type, given.value as Ydb.Value) } });
  }
  const stranger = Object.keys(parameters).find((name) => !declared.has(name));
  if (stranger !== undefined) refuse(`Unexpected parameter: ${stranger}`);
};
const pragma = (name: string, value: string, context: QueryContext): void => {
  if (name.toUpperCase() !== 'TABLEPATHPREFIX') throw YqlError.unsupported(`PRAGMA ${name}`);
  context.prefix = value.replace(/\/$/, '');
};

/** The outcome of every SELECT, in their order. */
export const runQuery = (run: Run): readonly Relation[] => {
  const context = new QueryContext(run.database, run.tx, run.nowUs);
  bindParameters(run, context);
  const results: Relation[] = [];
  for (const statement of run.statements) {
    switch (statement.kind) {
      case 'pragma':
        pragma(statement.name, statement.value, context);
        break;
      case 'declare':
        break;
      case 'assign': {
        const { name, value } = statement;
        if (isSelect(value)) context.name(name, { relation: runSelect(value, context) });
        else {
          const { type, of } = compileExpression(value, context.scope([]));
          context.name(name, { value: { type, value: of([]) } });
        }
        break;
      }
      case 'select':
        results.push(runSelect(statement.select, context));
        break;
      case 'write':
        runWrite(statement, context);
        break;
      case 'update':
        runUpdate(statement, context);
        break;
      case 'updateOn':
        runUpdateOn(statement, context);
        break;
      case 'delete':
        runDelete(statement, context);
        break;
      case 'deleteOn':
        runDeleteOn(statement, context);
        break;
      case 'createTable':
      case 'alterTable':
      case 'dropTable':
        throw new YqlError('GENERIC_ERROR', 'Scheme operations cannot be executed inside transaction');
    }
  }
  return results;
};
