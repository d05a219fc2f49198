import type { Found } from './hunt.ts';
import type { Scenario } from './scenario.ts';
import { shrink } from './shrink.ts';
import { simulate } from './simulate.ts';
import { deviations, formatTape } from './tape.ts';

const RUN_OF_ONE = 4;
const whoOf = (line: string): string => line.slice(16, 28);

/** A long undisturbed run of one process is one line to a reader. */
const folded = (trace: readonly string[]): string[] => {
  const lines: string[] = [];
  for (let start = 0; start < trace.length;) {
    const first = trace[start]!;
    let end = start + 1;
    while (end < trace.length && whoOf(trace[end]!) === whoOf(first) && !trace[end]!.includes('**')) end++;
    const many = end - start > RUN_OF_ONE;
    const more = `${' '.repeat(16)}${whoOf(first)}… ${end - start - 2} more`;
    lines.push(...(many ? [first, more, trace[end - 1]!] : trace.slice(start, end)));
    start = end;
  }
  return lines;
};

/** The whole message of a failing test: what broke, how to replay it, and the shortest story found. */
export const story = async (scenario: Scenario, { seed, outcome }: Found): Promise<string> => {
  const failure = outcome.failure ?? 'passed';
  if (failure.includes('nondeterminism')) return `${failure}\nreplay: DOSKA_SEED=${seed}`;
  const small = await shrink(scenario, outcome);
  const told = await simulate(scenario, { tape: small.tape }, { trace: true });
  const before = `${outcome.steps} steps, ${deviations(outcome.tape)}`;
  return [
    told.failure ?? failure,
    `replay: DOSKA_SEED=${seed}   or the shrunk run: DOSKA_TAPE=${formatTape(small.tape)}`,
    `${told.steps} steps, ${deviations(small.tape)} deviations from the calm run (was ${before}; ${small.runs} runs)`,
    ...folded(told.trace),
  ].join('\n');
};
