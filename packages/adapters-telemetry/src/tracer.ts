import { AsyncLocalStorage } from 'node:async_hooks';
import type { TraceContext, Tracer } from '@doska/core/kernel';
import {
  defaultTextMapGetter,
  defaultTextMapSetter,
  ROOT_CONTEXT,
  SpanStatusCode,
  trace,
  type Attributes,
  type Context,
} from '@opentelemetry/api';
import { W3CTraceContextPropagator } from '@opentelemetry/core';
import { OTLPTraceExporter } from '@opentelemetry/exporter-trace-otlp-http';
import { resourceFromAttributes } from '@opentelemetry/resources';
import { BasicTracerProvider, BatchSpanProcessor } from '@opentelemetry/sdk-trace-base';
import { plain } from './plain.ts';

/** Also limits how long a stop waits for a collector that does not answer. */
const SEND_MS_MAX = 2_000;

/** The error of an `Err`; undefined for everything else. */
const failureOf = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || !('isErr' in value)) return undefined;
  const { isErr, error } = value as { readonly isErr: unknown; readonly error?: unknown };
  return typeof isErr === 'function' && isErr.call(value) === true ? (error ?? 'an error') : undefined;
};
const kindOf = (error: unknown): string => {
  if (error instanceof Error) return error.name;
  if (typeof error === 'object' && error !== null && 'kind' in error) return String(error.kind);
  return 'an error';
};
const attributesOf = (fields: Readonly<Record<string, unknown>> = {}): Attributes =>
  Object.fromEntries(
    Object.entries(plain(fields)).map(([key, value]) => [
      key,
      typeof value === 'number' || typeof value === 'boolean'
        ? value
        : typeof value === 'string'
          ? value
          : JSON.stringify(value),
    ]),
  );

export type OtelTracer = {
  readonly tracer: Tracer;
  /** The ids of the current span, for log lines. */
  readonly currentIds: () => Record<string, string>;
  readonly stop: () => Promise<void>;
};

/** Spans always get and pass on ids. They are exported only if `otlpUrl` is given. */
export const otelTracer = (service: string, otlpUrl?: string): OtelTracer => {
  const provider = new BasicTracerProvider({
    resource: resourceFromAttributes({ 'service.name': service }),
    spanProcessors:
      otlpUrl === undefined
        ? []
        : [new BatchSpanProcessor(new OTLPTraceExporter({ url: otlpUrl, timeoutMillis: SEND_MS_MAX }))],
  });
  const otel = provider.getTracer('doska');
  const propagator = new W3CTraceContextPropagator();
  // A storage of our own: the global context manager belongs to the embedding program.
  const contexts = new AsyncLocalStorage<Context>();
  const current = (): Context => contexts.getStore() ?? ROOT_CONTEXT;

  const tracer: Tracer = {
    span: (name, { parent, attributes }, work) => {
      const within = parent ? propagator.extract(ROOT_CONTEXT, parent, defaultTextMapGetter) : current();
      const span = otel.startSpan(name, { attributes: attributesOf(attributes) }, within);
      const failed = (error: unknown): void =>
        void span.setStatus({ code: SpanStatusCode.ERROR, message: kindOf(error) });
      return contexts.run(trace.setSpan(within, span), async () => {
        try {
          const value = await work();
          const failure = failureOf(value);
          if (failure !== undefined) failed(failure);
          return value;
        } catch (error) {
          failed(error);
          throw error;
        } finally {
          span.end();
        }
      });
    },
    context: (): TraceContext => {
      const carrier: Record<string, string> = {};
      propagator.inject(current(), carrier, defaultTextMapSetter);
      return carrier;
    },
  };
  return {
    tracer,
    currentIds: () => {
      const span = trace.getSpanContext(current());
      return span ? { traceId: span.traceId, spanId: span.spanId } : {};
    },
    // A collector that does not answer must not block the stop.
    stop: () => provider.shutdown().catch(() => undefined),
  };
};
