/** A type as it is written in a text. */
export type TypeSyntax =
  | { readonly kind: 'primitive'; readonly name: string }
  | { readonly kind: 'decimal'; readonly precision: number; readonly scale: number }
  | { readonly kind: 'optional' | 'list'; readonly item: TypeSyntax }
  | { readonly kind: 'struct'; readonly members: readonly (readonly [name: string, type: TypeSyntax])[] }
  | { readonly kind: 'tuple'; readonly items: readonly TypeSyntax[] };

export type BinaryOperator =
  '=' | '<>' | '<' | '<=' | '>' | '>=' | '+' | '-' | '*' | '/' | '%' | '||' | 'AND' | 'OR';
export type Argument = { readonly value: Expression; readonly name: string | undefined };
export type Expression =
  | {
      readonly kind: 'literal';
      readonly type: 'integer' | 'float' | 'string';
      readonly text: string;
      readonly suffix: string;
    }
  | { readonly kind: 'boolean'; readonly value: boolean }
  | { readonly kind: 'null' }
  /** A declared parameter, or what was assigned before. */
  | { readonly kind: 'parameter'; readonly name: string }
  | { readonly kind: 'column'; readonly source: string | undefined; readonly name: string }
  | {
      readonly kind: 'call';
      readonly name: string;
      readonly args: readonly Argument[];
      readonly star: boolean;
      readonly distinct: boolean;
    }
  | {
      readonly kind: 'binary';
      readonly operator: BinaryOperator;
      readonly left: Expression;
      readonly right: Expression;
    }
  | { readonly kind: 'not' | 'minus'; readonly operand: Expression }
  | { readonly kind: 'isNull'; readonly operand: Expression; readonly negated: boolean }
  | {
      readonly kind: 'in';
      readonly operand: Expression;
      readonly list: Expression;
      readonly negated: boolean;
    }
  | { readonly kind: 'like'; readonly operand: Expression; readonly pattern: Expression }
  | {
      readonly kind: 'between';
      readonly operand: Expression;
      readonly low: Expression;
      readonly high: Expression;
    }
  | { readonly kind: 'tuple'; readonly items: readonly Expression[] }
  | {
      readonly kind: 'case';
      readonly operand: Expression | undefined;
      readonly branches: readonly (readonly [when: Expression, then: Expression])[];
      readonly otherwise: Expression | undefined;
    }
  | { readonly kind: 'cast'; readonly operand: Expression; readonly type: TypeSyntax };

export type SelectItem =
  | { readonly kind: 'star'; readonly source: string | undefined }
  | { readonly kind: 'value'; readonly value: Expression; readonly alias: string | undefined };
export type Source =
  | {
      readonly kind: 'table';
      readonly path: string;
      readonly view: string | undefined;
      readonly alias: string | undefined;
    }
  | { readonly kind: 'list'; readonly value: Expression; readonly alias: string | undefined }
  | { readonly kind: 'named'; readonly name: string; readonly alias: string | undefined }
  | { readonly kind: 'select'; readonly select: Select; readonly alias: string | undefined };
export type Join = { readonly kind: 'INNER' | 'LEFT'; readonly source: Source; readonly on: Expression };
export type Select = {
  readonly distinct: boolean;
  readonly items: readonly SelectItem[];
  readonly from: Source | undefined;
  readonly joins: readonly Join[];
  readonly where: Expression | undefined;
  readonly groupBy: readonly Expression[];
  readonly having: Expression | undefined;
  readonly orderBy: readonly { readonly value: Expression; readonly descending: boolean }[];
  readonly limit: Expression | undefined;
  readonly offset: Expression | undefined;
};

export type Rows =
  | { readonly kind: 'values'; readonly rows: readonly (readonly Expression[])[] }
  | { readonly kind: 'select'; readonly select: Select };
export type ColumnSyntax = { readonly name: string; readonly type: TypeSyntax; readonly notNull: boolean };
export type IndexSyntax = {
  readonly name: string;
  readonly kind: 'SYNC' | 'ASYNC' | 'UNIQUE';
  readonly columns: readonly string[];
  readonly cover: readonly string[];
};
export type TableSetting = { readonly name: string; readonly value: SettingValue };
export type SettingValue =
  | { readonly kind: 'word' | 'number' | 'string'; readonly text: string }
  | { readonly kind: 'ttl'; readonly interval: string; readonly column: string }
  | { readonly kind: 'interval'; readonly interval: string }
  | { readonly kind: 'keys'; readonly keys: readonly string[] };
export type AlterAction =
  | { readonly kind: 'addColumn'; readonly column: ColumnSyntax }
  | { readonly kind: 'dropColumn'; readonly name: string }
  | { readonly kind: 'addIndex'; readonly index: IndexSyntax }
  | { readonly kind: 'set'; readonly settings: readonly TableSetting[] }
  | { readonly kind: 'addChangefeed'; readonly name: string; readonly settings: readonly TableSetting[] };

export type Statement =
  | { readonly kind: 'pragma'; readonly name: string; readonly value: string }
  | { readonly kind: 'declare'; readonly name: string; readonly type: TypeSyntax }
  | { readonly kind: 'assign'; readonly name: string; readonly value: Expression | Select }
  | { readonly kind: 'select'; readonly select: Select }
  | {
      readonly kind: 'write';
      readonly verb: 'UPSERT' | 'REPLACE' | 'INSERT';
      readonly table: string;
      readonly columns: readonly string[] | undefined;
      readonly rows: Rows;
      readonly returning: boolean;
    }
  | {
      readonly kind: 'update';
      readonly table: string;
      readonly set: readonly (readonly [column: string, value: Expression])[];
      readonly where: Expression | undefined;
      readonly returning: boolean;
    }
  | { readonly kind: 'updateOn'; readonly table: string; readonly rows: Rows; readonly returning: boolean }
  | {
      readonly kind: 'delete';
      readonly table: string;
      readonly where: Expression | undefined;
      readonly returning: boolean;
    }
  | { readonly kind: 'deleteOn'; readonly table: string; readonly rows: Rows; readonly returning: boolean }
  | {
      readonly kind: 'createTable';
      readonly table: string;
      readonly ifNotExists: boolean;
      readonly columns: readonly ColumnSyntax[];
      readonly primaryKey: readonly string[];
      readonly indexes: readonly IndexSyntax[];
      readonly settings: readonly TableSetting[];
    }
  | { readonly kind: 'alterTable'; readonly table: string; readonly actions: readonly AlterAction[] }
  | { readonly kind: 'dropTable'; readonly table: string; readonly ifExists: boolean };
export type StatementOf<Kind extends Statement['kind']> = Extract<Statement, { readonly kind: Kind }>;

export const isSelect = (value: Expression | Select): value is Select => 'items' in value && 'joins' in value;
