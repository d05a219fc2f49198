import { operationsService } from '@doska/adapters-grpc';
import { Tokens, holdingPart, type App, type Config } from '@doska/app-composition';
import { lagMetrics } from './lag-metrics.ts';
import { logUpkeep } from './log-upkeep.ts';
import { makeReadTopic } from './read-topic.ts';
import { makeStatusSource } from './status-source.ts';

const NAME = 'operations';

const logNameOf = ({ log, kafkaBrokers }: Config): string =>
  log === 'kafka' ? `Kafka at ${kafkaBrokers}` : 'The message log';

/** The operator's view of the platform, and the retention of the PostgreSQL log. */
export const operations: App = {
  name: NAME,
  summary: 'Status of workers, consumer lag, leases and jobs; retention of the PostgreSQL log.',
  services: (container) => [
    operationsService(
      makeStatusSource({
        self: container.get(Tokens.selfStatus),
        log: container.get(Tokens.log),
        leaseStore: container.get(Tokens.leaseStore),
        jobs: container.get(Tokens.jobs),
        storage: container.get(Tokens.storage),
        clock: container.get(Tokens.clock),
        missingMs: container.get(Tokens.config).processMissingMs,
        logName: logNameOf(container.get(Tokens.config)),
      }),
      makeReadTopic(container.get(Tokens.log)),
    ),
  ],
  parts: (container) => {
    const { log, unreadFactor, lagSampleMs } = container.get(Tokens.config);
    const telemetry = container.get(Tokens.telemetry);
    const jobs = container.get(Tokens.jobs);
    const lag = lagMetrics({
      app: NAME,
      log: container.get(Tokens.log),
      clock: container.get(Tokens.clock),
      telemetry,
      everyMs: lagSampleMs,
    });
    if (log !== 'postgres') return [lag]; // Kafka deletes old records itself
    const job = logUpkeep({ pool: container.get(Tokens.pool), logger: telemetry.logger, unreadFactor });
    return [lag, holdingPart(NAME, job.name, () => jobs.start(job))];
  },
};
