/** The only infrastructure failure that ports return. Use `cause` for logs, never for decisions. */
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

/** One broken rule of a request. `path` names the field as the caller knows it. */
export type Violation = { readonly path: string; readonly code: string; readonly message: string };
/** The caller's input is wrong. All violations are listed. Nothing was written. */
export type InvalidInput = { readonly kind: 'InvalidInput'; readonly violations: readonly Violation[] };

export const invalidInput = (...violations: readonly Violation[]): InvalidInput => ({
  kind: 'InvalidInput',
  violations,
});

/** The same for a list of any length: as arguments, very many violations overflow the stack. */
export const invalidInputOf = (violations: readonly Violation[]): InvalidInput => ({
  kind: 'InvalidInput',
  violations,
});

/** Reached only if a union has a new case that a switch does not handle. That is a bug, so this throws. */
export const unreachable = (value: never): never => {
  throw new Error(`unreachable: ${JSON.stringify(value)}`);
};
