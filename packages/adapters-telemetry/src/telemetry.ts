import type { Telemetry } from '@doska/core/kernel';
import { collectDefaultMetrics, Registry } from 'prom-client';
import { pinoLogger, type LogLevel } from './logger.ts';
import { promMetrics } from './metrics.ts';
import { otelTracer } from './tracer.ts';

export type TelemetryOptions = {
  /** Named in every line and span. */
  readonly service: string;
  readonly level?: LogLevel;
  /** Lines for people instead of JSON. */
  readonly pretty?: boolean;
  /** Where spans are sent (OTLP over HTTP, e.g. `http://collector:4318/v1/traces`). Without it ids still travel. */
  readonly otlpUrl?: string;
  /** Where lines go; the standard output if not given. */
  readonly destination?: { write(line: string): void };
  /** CPU, memory, event loop and garbage collection of this process. */
  readonly processMetrics?: boolean;
};

export interface RunningTelemetry extends Telemetry {
  /** All metrics in the Prometheus text format. */
  metricsText(): Promise<string>;
  readonly metricsContentType: string;
  /** Sends what is left of the spans. Bounded by the exporter's own timeout; never rejects. */
  stop(): Promise<void>;
}

/** Nothing global: two of these in one process don't see each other. */
export const telemetry = (options: TelemetryOptions): RunningTelemetry => {
  const registry = new Registry();
  if (options.processMetrics ?? false) collectDefaultMetrics({ register: registry });
  const { tracer, currentIds, stop } = otelTracer(options.service, options.otlpUrl);
  return {
    logger: pinoLogger(options, currentIds),
    metrics: promMetrics(registry),
    tracer,
    metricsText: () => registry.metrics(),
    metricsContentType: registry.contentType,
    stop,
  };
};
