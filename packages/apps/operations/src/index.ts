import { operationsService } from '@doska/adapters-grpc';
import { Tokens, holdingPart, type App } from '@doska/app-composition';
import { lagMetrics } from './lag-metrics.ts';
import { logUpkeep } from './log-upkeep.ts';
import { makeReadTopic } from './read-topic.ts';
import { makeStatusSource } from './status-source.ts';

const NAME = 'operations';

/** The operator's view of the platform, and the upkeep of the log. */
export const operations: App = {
  name: NAME,
  summary: 'What runs, how far behind it is, who owns what; retention of the log.',
  grpc: (container) => [
    operationsService(
      makeStatusSource({
        self: container.get(Tokens.selfStatus),
        log: container.get(Tokens.log),
        leaseStore: container.get(Tokens.leaseStore),
        jobs: container.get(Tokens.jobs),
        clock: container.get(Tokens.clock),
      }),
      makeReadTopic(container.get(Tokens.log)),
    ),
  ],
  parts: (container) => {
    const { log, unreadFactor, lagSampleMs } = container.get(Tokens.config);
    const telemetry = container.get(Tokens.telemetry);
    const lag = lagMetrics({
      app: NAME,
      log: container.get(Tokens.log),
      clock: container.get(Tokens.clock),
      telemetry,
      everyMs: lagSampleMs,
    });
    if (log !== 'postgres') return [lag]; // another log sees to its retention itself
    const job = logUpkeep({ pool: container.get(Tokens.pool), logger: telemetry.logger, unreadFactor });
    return [lag, holdingPart(NAME, job.name, () => container.get(Tokens.jobs).start(job))];
  },
};
