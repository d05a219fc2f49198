import type { Telemetry } from '../ports/telemetry.port.ts';

export type Line = { readonly level: string; readonly message: string; readonly [field: string]: unknown };
/** Remembers lines, counts, gauges and the parents of spans. `gauges` returns the values as of now. */
export const recordingTelemetry = (): {
  telemetry: Telemetry;
  lines: Line[];
  counts: Map<string, number>;
  gauges: () => Record<string, number>;
  parents: unknown[];
} => {
  const lines: Line[] = [];
  const counts = new Map<string, number>();
  const levels = new Map<string, number | (() => number)>();
  const keyOf = (name: string, labels: object = {}): string => [name, ...Object.values(labels)].join(' ');
  const parents: unknown[] = [];
  const logger = (base: object): Telemetry['logger'] => {
    const at = (level: string) => (message: string, fields?: object) =>
      void lines.push({ level, message, ...base, ...fields });
    return {
      debug: at('debug'),
      info: at('info'),
      warn: at('warn'),
      error: at('error'),
      child: (fields) => logger({ ...base, ...fields }),
    };
  };
  const count = (name: string, n: number, labels: object = {}): void => {
    const key = keyOf(name, labels);
    counts.set(key, (counts.get(key) ?? 0) + n);
  };
  const telemetry: Telemetry = {
    logger: logger({}),
    metrics: {
      counter: ({ name }) => ({ add: (n = 1, labels) => count(name, n, labels) }),
      gauge: ({ name }) => ({
        set: (value, labels) => void levels.set(keyOf(name, labels), value),
        remove: (labels) => void levels.delete(keyOf(name, labels)),
      }),
      histogram: ({ name }) => ({ observe: (_value, labels) => count(name, 1, labels) }),
    },
    tracer: {
      span: (_name, { parent }, work) => (parents.push(parent), work()),
      context: () => ({ traceparent: 'ours' }),
    },
  };
  const gauges = (): Record<string, number> =>
    Object.fromEntries([...levels].map(([key, value]) => [key, typeof value === 'number' ? value : value()]));
  return { telemetry, lines, counts, gauges, parents };
};
