/** Why the schema can't be brought up to date. Nothing of the named migration was applied. */
export type MigrationError =
  | { readonly kind: 'BadMigrationFile'; readonly file: string; readonly message: string }
  /** The file was edited after it had been applied here: write a new migration instead. */
  | { readonly kind: 'ChangedMigration'; readonly file: string; readonly message: string }
  /** Applied here, but not a file of ours: most likely a newer version of the program was here before. */
  | { readonly kind: 'UnknownMigration'; readonly file: string; readonly message: string }
  /** A new file has a lower number than one that is applied already. */
  | { readonly kind: 'LateMigration'; readonly file: string; readonly message: string }
  | {
      readonly kind: 'FailedMigration';
      readonly file: string;
      readonly message: string;
      readonly cause: unknown;
    };
