/** Why a process did not start, in words for whoever started it. */
export type StartProblem = { readonly kind: 'StartProblem'; readonly lines: readonly string[] };

export const startProblem = (...lines: readonly string[]): StartProblem => ({ kind: 'StartProblem', lines });
