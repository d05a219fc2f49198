/** Why a process did not start: lines for the person who started it. */
export type StartProblem = {
  readonly kind: 'StartProblem';
  readonly lines: readonly string[];
  /** Another process or machine does not answer. The same attempt may succeed a moment later. */
  readonly passes?: boolean;
};

export const startProblem = (...lines: readonly string[]): StartProblem => ({ kind: 'StartProblem', lines });
/** A problem that is worth waiting for, unless `passes` is false. */
export const awayProblem = (line: string, passes: boolean): StartProblem => ({
  ...startProblem(line),
  passes,
});

/** The innermost message of a failure: drivers wrap it several times, and the outer messages may be empty. */
export const messageOf = (cause: unknown): string => {
  if (cause instanceof AggregateError && cause.errors.length > 0) return messageOf(cause.errors[0]);
  if (!(cause instanceof Error)) return String(cause);
  return cause.cause instanceof Error ? messageOf(cause.cause) : cause.message;
};
