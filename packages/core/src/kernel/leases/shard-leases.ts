import type { Clock } from '../ports/clock.port.ts';
import type { Ids } from '../ports/ids.port.ts';
import type { LeaseStore } from '../ports/lease-store.port.ts';
import { silentTelemetry, type Logger } from '../ports/telemetry.port.ts';
import { holdShards } from './holding.ts';
import { defaultLeaseTimes, type LeaseTimes, type ShardLeases } from './lease.ts';

export type ShardLeasesNeeds = {
  readonly store: LeaseStore;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly logger?: Logger;
  readonly times?: Partial<LeaseTimes>;
};

export const makeShardLeases = ({
  store,
  clock,
  ids,
  logger = silentTelemetry.logger,
  times,
}: ShardLeasesNeeds): ShardLeases => ({
  hold: (options) => {
    const member = ids.next();
    return holdShards(
      {
        store,
        clock,
        member,
        logger: logger.child({ set: options.set, member }),
        times: { ...defaultLeaseTimes, ...times },
      },
      options,
    );
  },
});
