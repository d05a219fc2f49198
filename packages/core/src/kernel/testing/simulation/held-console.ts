const METHODS = ['debug', 'log', 'info', 'warn', 'error'] as const;

/** Test runners stamp what is printed with the real time, which is a trap: lines of a run are said when it is over. */
export const holdConsole = (): (() => void) => {
  const real = METHODS.map((method) => console[method]);
  const held: (() => void)[] = [];
  METHODS.forEach((method, i) => {
    console[method] = (...args: unknown[]) => void held.push(() => real[i]!(...args));
  });
  return () => {
    METHODS.forEach((method, i) => (console[method] = real[i]!));
    for (const say of held) say();
  };
};
