import { kafkaMessageLog } from '@doska/adapters-kafka';
import { pgMessageLog } from '@doska/adapters-pg';
import {
  makeBlockedPartitions,
  tracedLog,
  type BlockedPartitions,
  type Clock,
  type MessageLog,
  type Telemetry,
} from '@doska/core/kernel';
import { ContainerModule } from 'inversify';
import type { Config } from '../config/config.ts';
import { Tokens } from '../tokens.ts';
import { kafkaConnection, kafkaSettings } from './kafka-options.ts';

/** All consumers of the process report to one: `doska status` lists what it holds. */
const blockedPartitions = (
  clock: Clock,
  telemetry: Telemetry,
  { blockedAfterMs }: Config,
): BlockedPartitions => makeBlockedPartitions({ clock, telemetry, afterMs: blockedAfterMs });

const onPostgres = new ContainerModule(({ bind }) => {
  bind(Tokens.blockedPartitions)
    .toResolvedValue(blockedPartitions, [Tokens.clock, Tokens.telemetry, Tokens.config])
    .inSingletonScope();
  bind(Tokens.log)
    .toResolvedValue(
      (url, pool, clock, ids, random, telemetry, config, lifecycle, blocked): MessageLog => {
        const { logger } = telemetry;
        const leaseTimes = { leaseMs: config.leaseMs, beatMs: config.heartbeatMs, drainMs: config.stopMs };
        const log = pgMessageLog({ url, pool, clock, ids, random, logger, leaseTimes, blocked });
        lifecycle.add('message log', () => log.close());
        return tracedLog(log, telemetry);
      },
      [
        Tokens.databaseUrl,
        Tokens.pool,
        Tokens.clock,
        Tokens.ids,
        Tokens.random,
        Tokens.telemetry,
        Tokens.config,
        Tokens.lifecycle,
        Tokens.blockedPartitions,
      ],
    )
    .inSingletonScope();
});

const onKafka = new ContainerModule(({ bind }) => {
  bind(Tokens.blockedPartitions)
    .toResolvedValue(blockedPartitions, [Tokens.clock, Tokens.telemetry, Tokens.config])
    .inSingletonScope();
  bind(Tokens.log)
    .toResolvedValue(
      (clock, ids, random, telemetry, config, lifecycle, blocked): MessageLog => {
        const { logger } = telemetry;
        const connection = kafkaConnection(config);
        const settings = kafkaSettings(config);
        const log = kafkaMessageLog({ connection, settings, clock, ids, random, logger, blocked });
        lifecycle.add('message log', () => log.close());
        return tracedLog(log, telemetry);
      },
      [
        Tokens.clock,
        Tokens.ids,
        Tokens.random,
        Tokens.telemetry,
        Tokens.config,
        Tokens.lifecycle,
        Tokens.blockedPartitions,
      ],
    )
    .inSingletonScope();
});

/** The message log by DOSKA_LOG. Apps do not know which one they use. */
export const logModules = { postgres: onPostgres, kafka: onKafka } as const satisfies Record<
  Config['log'],
  ContainerModule
>;
