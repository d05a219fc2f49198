import type { Telemetry } from '../ports/telemetry.port.ts';

export type Line = { readonly level: string; readonly message: string; readonly [field: string]: unknown };
/** Remembers lines, counts and the parents of spans. */
export const recordingTelemetry = (): {
  telemetry: Telemetry;
  lines: Line[];
  counts: Map<string, number>;
  parents: unknown[];
} => {
  const [lines, counts, parents]: [Line[], Map<string, number>, unknown[]] = [[], new Map(), []];
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
    const key = [name, ...Object.values(labels)].join(' ');
    counts.set(key, (counts.get(key) ?? 0) + n);
  };
  const telemetry: Telemetry = {
    logger: logger({}),
    metrics: {
      counter: ({ name }) => ({ add: (n = 1, labels) => count(name, n, labels) }),
      gauge: () => ({ set: () => undefined }),
      histogram: ({ name }) => ({ observe: (_value, labels) => count(name, 1, labels) }),
    },
    tracer: {
      span: (_name, { parent }, work) => (parents.push(parent), work()),
      context: () => ({ traceparent: 'ours' }),
    },
  };
  return { telemetry, lines, counts, parents };
};
