import type { Gauge } from '../ports/telemetry.port.ts';
import type { Lease } from './lease.ts';

export type ShardGauge = {
  readonly set: (value: number | (() => number)) => void;
  /** Call it when the work on the shard ends. */
  readonly remove: () => void;
};

/** The gauge of one shard. It disappears with the lease: at once if the lease is lost, else when the work removes it. */
export const shardGauge = (gauge: Gauge, { shard }: Pick<Lease, 'shard'>, lost: AbortSignal): ShardGauge => {
  const labels = { shard: String(shard) };
  const remove = (): void => gauge.remove(labels);
  lost.addEventListener('abort', remove, { once: true });
  return { set: (value) => (lost.aborted ? undefined : gauge.set(value, labels)), remove };
};
