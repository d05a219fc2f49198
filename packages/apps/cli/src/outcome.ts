import type { Result } from 'neverthrow';

/** Why a command failed, and its exit code. */
export type CommandProblem = { readonly message: string; readonly exitCode: number };
/**
 * Exit codes of sysexits.h. Scripts can tell wrong arguments from a platform that does not answer. `trouble`: the
 * platform answered, and says that something is wrong.
 */
export const EXIT = { usage: 64, unavailable: 69, refused: 77, config: 78, failed: 1, trouble: 2 } as const;

export const problem = (message: string, exitCode: number): CommandProblem => ({ message, exitCode });

/** The output of a command: a value for programs and the same as text for people. */
export type CommandOutput = {
  readonly value: unknown;
  readonly text: string;
  /** For output that tells of something wrong; 0 by default. */
  readonly exitCode?: number;
};
export type CommandResult = Result<CommandOutput, CommandProblem>;
