export type Fields = Readonly<Record<string, unknown>>;

export interface Logger {
  debug(message: string, fields?: Fields): void;
  info(message: string, fields?: Fields): void;
  warn(message: string, fields?: Fields): void;
  error(message: string, fields?: Fields): void;
  /** Returns a logger that adds these fields to every line. */
  child(fields: Fields): Logger;
}

export type Labels = Readonly<Record<string, string>>;
export type MetricSpec = {
  readonly name: string;
  readonly help: string;
  readonly labels?: readonly string[];
};
export interface Counter {
  add(n?: number, labels?: Labels): void;
}
export interface Gauge {
  /** A function is called each time the metrics are read, so an age grows while its owner waits. */
  set(value: number | (() => number), labels?: Labels): void;
  /** The value with these labels is no longer shown. Call it when the labelled thing has moved to another process. */
  remove(labels?: Labels): void;
}
export interface Histogram {
  observe(value: number, labels?: Labels): void;
}
/** Two calls with the same name return the same metric. */
export interface Metrics {
  counter(spec: MetricSpec): Counter;
  gauge(spec: MetricSpec): Gauge;
  /** Seconds by default; `buckets` for anything else. */
  histogram(spec: MetricSpec & { readonly buckets?: readonly number[] }): Histogram;
}

/** What travels in gRPC metadata, HTTP headers and record headers, so that one trace follows an offer everywhere. */
export type TraceContext = Readonly<Record<string, string>>;
export interface Tracer {
  /** Runs `work` inside a span; a rejection or an `Err` result marks the span as failed. */
  span<T>(
    name: string,
    options: { readonly parent?: TraceContext; readonly attributes?: Fields },
    work: () => Promise<T>,
  ): Promise<T>;
  /** The headers that carry the current span onward; empty outside of any span. */
  context(): TraceContext;
}

export interface Telemetry {
  readonly logger: Logger;
  readonly metrics: Metrics;
  readonly tracer: Tracer;
}

const silentLogger: Logger = {
  debug: () => {},
  info: () => {},
  warn: () => {},
  error: () => {},
  child: () => silentLogger,
};

/** Says nothing and counts nothing: for library users and tests that don't care. */
export const silentTelemetry: Telemetry = {
  logger: silentLogger,
  metrics: {
    counter: () => ({ add: () => {} }),
    gauge: () => ({ set: () => {}, remove: () => {} }),
    histogram: () => ({ observe: () => {} }),
  },
  tracer: { span: (_name, _options, work) => work(), context: () => ({}) },
};
