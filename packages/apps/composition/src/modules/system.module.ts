import { telemetry } from '@doska/adapters-telemetry';
import { ContainerModule } from 'inversify';
import type { Config } from '../config/config.ts';
import { Lifecycle } from '../host/lifecycle.ts';
import { systemClock, systemIds, systemRandom } from '../system.ts';
import { Tokens } from '../tokens.ts';

/** The real clock, ids, random numbers and telemetry. */
export const systemModule = (config: Config, service: string): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(Tokens.config).toConstantValue(config);
    bind(Tokens.lifecycle).toConstantValue(new Lifecycle());
    bind(Tokens.clock).toConstantValue(systemClock);
    bind(Tokens.ids).toConstantValue(systemIds);
    bind(Tokens.random).toConstantValue(systemRandom);
    bind(Tokens.telemetry).toConstantValue(
      telemetry({
        service,
        level: config.logLevel,
        processMetrics: true,
        pretty: config.logFormat === undefined ? process.stdout.isTTY : config.logFormat === 'pretty',
        ...(config.otlpUrl === undefined ? {} : { otlpUrl: config.otlpUrl }),
      }),
    );
  });
