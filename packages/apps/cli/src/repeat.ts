import { sleep, type Clock } from '@doska/core/kernel';
import type { CommandResult } from './outcome.ts';

type Repeat = { readonly clock: Clock; readonly signal: AbortSignal };

/** Asks again and again until the signal aborts, and shows every answer. */
export const watched = async (
  ask: () => Promise<CommandResult>,
  everyMs: number,
  { clock, signal }: Repeat,
  show: (result: CommandResult) => void,
): Promise<void> => {
  while (!signal.aborted) {
    show(await ask());
    await sleep(clock, everyMs, signal);
  }
};

/** Asks until the answer is good (exit code 0) or the time is up. Returns the last answer. */
export const awaited = async (
  ask: () => Promise<CommandResult>,
  withinMs: number,
  { clock, signal }: Repeat,
  everyMs = 500,
): Promise<CommandResult> => {
  const untilMs = clock.nowMs() + withinMs;
  for (;;) {
    const result = await ask();
    const isGood = result.isOk() && (result.value.exitCode ?? 0) === 0;
    if (isGood || signal.aborted || clock.nowMs() + everyMs > untilMs) return result;
    await sleep(clock, everyMs, signal);
  }
};
