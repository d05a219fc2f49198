import type { Labels, Metrics, MetricSpec } from '@doska/core/kernel';
import { Counter, Gauge, Histogram, type Metric, type Registry } from 'prom-client';

/** In seconds, from a cache hit to a request that has timed out. */
const SECONDS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** A gauge's value that is measured when the metrics are read. */
type Measure = { readonly labels: Labels; readonly value: () => number };
const keyOf = (labels: Labels): string => JSON.stringify(Object.entries(labels).sort());

export const promMetrics = (registry: Registry): Metrics => {
  const known = new Map<string, Metric>();
  const measures = new Map<string, Map<string, Measure>>();
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
      const measured = measures.get(spec.name) ?? new Map<string, Measure>();
      measures.set(spec.name, measured);
      const gauge = named(
        spec,
        Gauge,
        () =>
          new Gauge({
            ...config(spec),
            collect() {
              for (const { labels, value } of measured.values()) this.set(labels, value());
            },
          }),
      );
      return {
        set: (value, labels = {}) => {
          if (typeof value === 'function') measured.set(keyOf(labels), { labels, value });
          else {
            measured.delete(keyOf(labels));
            gauge.set(labels, value);
          }
        },
        remove: (labels = {}) => {
          measured.delete(keyOf(labels));
          gauge.remove(labels);
        },
      };
    },
    histogram: (spec) => {
      const buckets = [...(spec.buckets ?? SECONDS)];
      const histogram = named(spec, Histogram, () => new Histogram({ ...config(spec), buckets }));
      return { observe: (value, labels = {}) => histogram.observe(labels, value) };
    },
  };
};
