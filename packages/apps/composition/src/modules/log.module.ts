import { kafkaMessageLog } from '@doska/adapters-kafka';
import { pgMessageLog } from '@doska/adapters-pg';
import { tracedLog, type MessageLog } from '@doska/core/kernel';
import { ContainerModule } from 'inversify';
import type { Config } from '../config/load.ts';
import { Tokens } from '../tokens.ts';
import { kafkaConnection, kafkaSettings } from './kafka-options.ts';

const onPostgres = new ContainerModule(({ bind }) => {
  bind(Tokens.log)
    .toResolvedValue(
      (url, pool, clock, ids, random, telemetry, config, lifecycle): MessageLog => {
        const { logger } = telemetry;
        const leaseTimes = { leaseMs: config.leaseMs, beatMs: config.heartbeatMs, drainMs: config.stopMs };
        const log = pgMessageLog({ url, pool, clock, ids, random, logger, leaseTimes });
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
      ],
    )
    .inSingletonScope();
});

const onKafka = new ContainerModule(({ bind }) => {
  bind(Tokens.log)
    .toResolvedValue(
      (clock, ids, random, telemetry, config, lifecycle): MessageLog => {
        const { logger } = telemetry;
        const [connection, settings] = [kafkaConnection(config), kafkaSettings(config)];
        const log = kafkaMessageLog({ connection, settings, clock, ids, random, logger });
        lifecycle.add('message log', () => log.close());
        return tracedLog(log, telemetry);
      },
      [Tokens.clock, Tokens.ids, Tokens.random, Tokens.telemetry, Tokens.config, Tokens.lifecycle],
    )
    .inSingletonScope();
});

/** Which log a platform runs on is this table and nothing else: no app knows. */
export const logModules = { postgres: onPostgres, kafka: onKafka } as const satisfies Record<
  Config['log'],
  ContainerModule
>;
