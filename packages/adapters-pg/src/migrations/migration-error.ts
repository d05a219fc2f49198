/** Why the schema can't be brought up to date. Nothing of the named file was applied. */
export type MigrationError =
  | { readonly kind: 'BadMigrationFile'; readonly file: string; readonly message: string }
  /** The file was edited after it had been applied to this database: write a new migration instead. */
  | { readonly kind: 'ChangedMigration'; readonly file: string; readonly message: string }
  /** Applied to this database, but not among our files: most likely by a newer version of the program. */
  | { readonly kind: 'UnknownMigration'; readonly file: string; readonly message: string }
  /** A new file has a lower number than one that is applied already. */
  | { readonly kind: 'LateMigration'; readonly file: string; readonly message: string }
  | {
      readonly kind: 'FailedMigration';
      readonly file: string;
      readonly message: string;
      readonly cause: unknown;
    };
