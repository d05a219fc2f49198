/** Why the embedded PostgreSQL could not start. `message` is for the person at the terminal. */
export type EmbeddedProblem = {
  readonly kind:
    | 'NoBinaries' // no binaries for this platform
    | 'NoPasswdEntry' // initdb looks up its user by name
    | 'OtherMajor' // the data belongs to another PostgreSQL
    | 'DamagedData' // the folder has no complete cluster
    | 'FolderNotOurs' // another user owns the folder, or it is a symbolic link
    | 'ServerFailed' // initdb or postgres failed; the message quotes it
    | 'TooSlow'; // the server did not answer within the deadline
  readonly message: string;
  readonly cause?: unknown;
};

const WAY_OUT = 'Set DATABASE_URL to use a PostgreSQL of your own instead.';

/** Every message ends with the way out. */
export const problem = (kind: EmbeddedProblem['kind'], what: string, cause?: unknown): EmbeddedProblem => ({
  kind,
  message: `Embedded PostgreSQL: ${what} ${WAY_OUT}`,
  ...(cause === undefined ? {} : { cause }),
});

export const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
