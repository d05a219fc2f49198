/** Why no embedded PostgreSQL could be had. `message` is written for the person at the terminal. */
export type EmbeddedProblem = {
  readonly kind:
    | 'NoBinaries' // nothing to run on this platform
    | 'NoPasswdEntry' // initdb looks its own user up by name
    | 'OtherMajor' // the data belongs to another PostgreSQL
    | 'DamagedData' // what is there is not a whole cluster
    | 'FolderNotOurs' // somebody else owns the folder, or it is a symbolic link
    | 'ServerFailed' // initdb or postgres said no; its own words are in the message
    | 'TooSlow'; // nothing answered within the deadline
  readonly message: string;
  readonly cause?: unknown;
};

const WAY_OUT = 'Set DATABASE_URL to use a PostgreSQL of your own instead.';

/** Every problem ends with the way out, so that nobody is stuck with a binary that can't run here. */
export const problem = (kind: EmbeddedProblem['kind'], what: string, cause?: unknown): EmbeddedProblem => ({
  kind,
  message: `Embedded PostgreSQL: ${what} ${WAY_OUT}`,
  ...(cause === undefined ? {} : { cause }),
});

export const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
