import type { BlockedPartitions, Logger, Position } from '../../kernel/index.ts';

/** A partition that stands still before a record that the index refuses. The record is tried again and again. */
export type StoppedPartition = { readonly position: Position; readonly key: string; readonly reason: string };

/** The partitions of one index that stand still: reported at once, listed for as long as it lasts. */
export class StoppedPartitions {
  readonly #stopped = new Map<string, StoppedPartition>();
  readonly #blocked: Pick<BlockedPartitions, 'blocked' | 'freed'>;
  readonly #logger: Logger;
  readonly #group: string;

  constructor(
    group: string,
    {
      blocked,
      logger,
    }: { readonly blocked: Pick<BlockedPartitions, 'blocked' | 'freed'>; readonly logger: Logger },
  ) {
    this.#group = group;
    this.#blocked = blocked;
    this.#logger = logger;
  }

  stop(stopped: StoppedPartition): void {
    const { position, key, reason } = stopped;
    const { topic, partition, offset } = position;
    this.#stopped.set(`${topic}/${partition}`, stopped);
    this.#blocked.blocked({ group: this.#group, topic, partition, offset, key, reason });
    this.#logger.error('the index refuses a record, its partition stands still', {
      index: this.#group,
      ...stopped,
    });
  }

  free({ topic, partition }: Pick<Position, 'topic' | 'partition'>): void {
    if (this.#stopped.delete(`${topic}/${partition}`))
      this.#blocked.freed({ group: this.#group, topic, partition });
  }

  freeAll(): void {
    for (const { position } of [...this.#stopped.values()]) this.free(position);
  }

  list(): readonly StoppedPartition[] {
    return [...this.#stopped.values()];
  }
}
