/** The one infrastructure failure a port may surface. `cause` is for logs, never for branching. */
export type Unavailable = {
  readonly kind: 'Unavailable';
  readonly what: string;
  readonly retryable: boolean;
  readonly cause?: unknown;
};

export const unavailable = (what: string, cause?: unknown, retryable = true): Unavailable => ({
  kind: 'Unavailable',
  what,
  retryable,
  ...(cause === undefined ? {} : { cause }),
});

/** One broken rule of a request: `path` names the field as the caller wrote it. */
export type Violation = { readonly path: string; readonly code: string; readonly message: string };
/** The caller's input is wrong; every violation is listed, nothing was written. */
export type InvalidInput = { readonly kind: 'InvalidInput'; readonly violations: readonly Violation[] };

export const invalidInput = (...violations: readonly Violation[]): InvalidInput => ({
  kind: 'InvalidInput',
  violations,
});

/** Reached only when a union grew and a switch did not. That is a bug, so this throws. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};
