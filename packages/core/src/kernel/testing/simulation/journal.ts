export type Journal = {
  /** True if arguments and answers are wanted in words: that is a third of the cost of a step. */
  readonly deep: boolean;
  readonly note: (at: { readonly step: number; readonly nowMs: number }, who: string, what: string) => void;
  readonly hash: () => number;
  readonly trace: readonly string[];
};

const WORDS_MAX = 90;

/** A value as a reader of a story wants it: short. */
export const inWords = (value: unknown): string => {
  if (value === undefined) return '';
  const text = JSON.stringify(value, (_key, part: unknown) => (typeof part === 'bigint' ? `${part}n` : part));
  return text.length > WORDS_MAX ? `${text.slice(0, WORDS_MAX - 3)}...` : text;
};

/** What happened: always as a hash (FNV-1a), and as lines when `trace` asks for them. */
export const makeJournal = (options: { readonly trace: boolean; readonly deep: boolean }): Journal => {
  const trace: string[] = [];
  let hash = 0x811c9dc5;
  const mix = (n: number): void => {
    hash = Math.imul(hash ^ n, 0x01000193) >>> 0;
  };
  return {
    deep: options.deep,
    trace,
    hash: () => hash,
    note: ({ step, nowMs }, who, what) => {
      for (let i = 0; i < what.length; i++) mix(what.charCodeAt(i));
      mix(nowMs);
      if (!options.trace) return;
      trace.push(`${String(step).padStart(4)} ${String(nowMs).padStart(7)}ms  ${who.padEnd(11)} ${what}`);
    },
  };
};
