import { createPool } from '@doska/adapters-pg';
import { limitRepeats } from '@doska/core/kernel';
import { ContainerModule } from 'inversify';
import { Tokens } from '../tokens.ts';

/** The connections to PostgreSQL. Every process has them: feeds and the catalogue are there in every configuration. */
export const postgresModule = (url: string): ContainerModule =>
  new ContainerModule(({ bind }) => {
    bind(Tokens.databaseUrl).toConstantValue(url);
    bind(Tokens.pool)
      .toResolvedValue(
        (config, lifecycle, { logger }, clock) => {
          const failures = limitRepeats(logger, clock);
          let isEnding = false;
          // The error holds the whole connection: only its words are logged.
          const onIdleError = ({ message }: Error): void => {
            if (!isEnding) failures.warn('an idle database connection broke', { error: message });
          };
          const pool = createPool({ url, max: config.databasePool, applicationName: 'doska', onIdleError });
          lifecycle.add('database pool', () => {
            isEnding = true;
            return pool.end();
          });
          return pool;
        },
        [Tokens.config, Tokens.lifecycle, Tokens.telemetry, Tokens.clock],
      )
      .inSingletonScope();
  });
