import { YqlError } from '../yql-error.ts';
import type { AlterAction, ColumnSyntax, IndexSyntax, SettingValue, Statement, TableSetting } from './ast.ts';
import { parseType } from './parse-type.ts';
import type { TokenStream } from './token-stream.ts';

const names = (tokens: TokenStream): string[] =>
  tokens.inParentheses(() => tokens.list(() => tokens.name('a column')));
const column = (tokens: TokenStream): ColumnSyntax => {
  const name = tokens.name('a column');
  return { name, type: parseType(tokens), notNull: tokens.words('NOT', 'NULL') };
};
/** After INDEX. Without GLOBAL it is no YQL. */
const index = (tokens: TokenStream): IndexSyntax => {
  const name = tokens.name('an index');
  tokens.needWords('GLOBAL');
  const unique = tokens.words('UNIQUE');
  const isAsync = tokens.words('ASYNC');
  if (!isAsync) tokens.words('SYNC');
  tokens.needWords('ON');
  const columns = names(tokens);
  const cover = tokens.words('COVER') ? names(tokens) : [];
  return { name, kind: unique ? 'UNIQUE' : isAsync ? 'ASYNC' : 'SYNC', columns, cover };
};
const interval = (tokens: TokenStream): string => {
  tokens.needWords('INTERVAL');
  return tokens.inParentheses(() => tokens.string());
};
const settingValue = (tokens: TokenStream, name: string): SettingValue => {
  if (name === 'TTL') {
    const after = interval(tokens);
    tokens.needWords('ON');
    return { kind: 'ttl', interval: after, column: tokens.name('a column') };
  }
  if (tokens.isWord('INTERVAL')) return { kind: 'interval', interval: interval(tokens) };
  if (tokens.isSign('('))
    return { kind: 'keys', keys: tokens.inParentheses(() => tokens.list(() => String(tokens.integer()))) };
  const { kind } = tokens.peek();
  if (kind === 'integer') return { kind: 'number', text: tokens.take().text };
  if (kind === 'string') return { kind: 'string', text: tokens.take().text };
  return { kind: 'word', text: tokens.name('a value') };
};
const settings = (tokens: TokenStream): TableSetting[] =>
  tokens.inParentheses(() =>
    tokens.list(() => {
      const name = tokens.name('a setting').toUpperCase();
      tokens.needSign('=');
      return { name, value: settingValue(tokens, name) };
    }),
  );

const createTable = (tokens: TokenStream): Statement => {
  const ifNotExists = tokens.words('IF', 'NOT', 'EXISTS');
  const table = tokens.name('a table');
  const columns: ColumnSyntax[] = [];
  const indexes: IndexSyntax[] = [];
  let primaryKey: string[] | undefined;
  tokens.inParentheses(() =>
    tokens.list(() => {
      if (tokens.words('PRIMARY', 'KEY')) primaryKey = names(tokens);
      else if (tokens.isWord('INDEX') && tokens.isName(1)) {
        tokens.take();
        indexes.push(index(tokens));
      } else columns.push(column(tokens));
    }),
  );
  if (!primaryKey) throw YqlError.syntax(`table ${table} has no PRIMARY KEY`);
  const given = tokens.words('WITH') ? settings(tokens) : [];
  return { kind: 'createTable', table, ifNotExists, columns, primaryKey, indexes, settings: given };
};
const alteration = (tokens: TokenStream): AlterAction => {
  if (tokens.words('ADD', 'COLUMN')) return { kind: 'addColumn', column: column(tokens) };
  if (tokens.words('DROP', 'COLUMN')) return { kind: 'dropColumn', name: tokens.name('a column') };
  if (tokens.words('ADD', 'INDEX')) return { kind: 'addIndex', index: index(tokens) };
  if (tokens.words('ADD', 'CHANGEFEED')) {
    const name = tokens.name('a changefeed');
    tokens.needWords('WITH');
    return { kind: 'addChangefeed', name, settings: settings(tokens) };
  }
  if (tokens.words('SET')) return { kind: 'set', settings: settings(tokens) };
  return tokens.fail('an alteration');
};
export const parseSchema = (tokens: TokenStream): Statement => {
  if (tokens.words('CREATE', 'TABLE')) return createTable(tokens);
  if (tokens.words('ALTER', 'TABLE'))
    return {
      kind: 'alterTable',
      table: tokens.name('a table'),
      actions: tokens.list(() => alteration(tokens)),
    };
  tokens.needWords('DROP', 'TABLE');
  const ifExists = tokens.words('IF', 'EXISTS');
  return { kind: 'dropTable', table: tokens.name('a table'), ifExists };
};
