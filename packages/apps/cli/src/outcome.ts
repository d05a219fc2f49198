import type { Result } from 'neverthrow';

/** Why a command could not do its work, in words, with the exit code it ends with. */
export type CommandProblem = { readonly message: string; readonly exitCode: number };
/** As sysexits has them, so that scripts can tell a typo from a platform that is away. */
export const EXIT = { usage: 64, unavailable: 69, refused: 77, config: 78, failed: 1 } as const;

export const problem = (message: string, exitCode: number): CommandProblem => ({ message, exitCode });

/** What a command says: a value for programs, the same in words for people. */
export type CommandOutput = { readonly value: unknown; readonly text: string };
export type CommandResult = Result<CommandOutput, CommandProblem>;
