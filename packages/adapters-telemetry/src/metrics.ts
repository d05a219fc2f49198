import type { Metrics, MetricSpec } from '@doska/core/kernel';
import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';

/** Seconds, from a cache hit to a request nobody waits for any more. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export const promMetrics = (registry: Registry): Metrics => {
  const known = new Map<string, Metric>();
  const named = <M extends Metric>(spec: MetricSpec, kind: new (...args: never[]) => M, make: () => M): M => {
    const metric = known.get(spec.name) ?? make();
    // One name for two kinds of things would silently count the wrong one.
    if (!(metric instanceof kind))
      throw new TypeError(`the metric ${spec.name} exists and is of another kind`);
    known.set(spec.name, metric);
    return metric;
  };
  const config = (spec: MetricSpec) => ({
    name: spec.name,
    help: spec.help,
    labelNames: [...(spec.labels ?? [])],
    registers: [registry],
  });
  return {
    counter: (spec) => {
      const counter = named(spec, Counter, () => new Counter(config(spec)));
      return { add: (n = 1, labels = {}) => counter.inc(labels, n) };
    },
    gauge: (spec) => {
      const gauge = named(spec, Gauge, () => new Gauge(config(spec)));
      return { set: (value, labels = {}) => gauge.set(labels, value) };
    },
    histogram: (spec) => {
      const buckets = [...(spec.buckets ?? SECONDS)];
      const histogram = named(spec, Histogram, () => new Histogram({ ...config(spec), buckets }));
      return { observe: (value, labels = {}) => histogram.observe(labels, value) };
    },
  };
};
