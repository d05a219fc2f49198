import { startEmbeddedPostgres, type EmbeddedPostgres } from '@doska/adapters-pg/embedded';
import { sleep, type Clock, type Logger } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import type { Lifecycle } from './lifecycle.ts';
import type { Part } from './part.ts';
import { startProblem, type StartProblem } from './problem.ts';

/** How often the process looks whether its server still runs. */
const LOOK_MS = 250;

export type EmbeddedDatabase = {
  readonly url: string;
  /**
   * Watches the server. If the server ends, the part fails, and its next run starts the server again on the same port.
   * The supervisor bounds the restarts and ends the process after too many.
   */
  readonly keeper: Part;
};

type Options = {
  readonly dataDir: string;
  readonly lifecycle: Lifecycle;
  readonly logger: Logger;
  readonly clock: Clock;
  readonly start?: typeof startEmbeddedPostgres;
};

/** Starts the embedded server, or connects to the one that another process of this data directory has started. */
export const openEmbedded = async (options: Options): Promise<Result<EmbeddedDatabase, StartProblem>> => {
  const { dataDir, lifecycle, logger, clock, start = startEmbeddedPostgres } = options;
  const log = (line: string): void => logger.info(line);
  const first = await start({ dataDir, log });
  if (first.isErr()) return err(startProblem(first.error.message));
  let server: EmbeddedPostgres = first.value;
  lifecycle.add('embedded PostgreSQL', () => server.stop());
  const tell = (): void =>
    logger.info(
      server.owned ? 'embedded PostgreSQL started' : 'embedded PostgreSQL of another process in use',
      {
        port: server.port,
        dataDir: server.dataDir,
      },
    );
  tell();
  const { port, url } = server;
  const revive = async (): Promise<void> => {
    const next = await start({ dataDir, log, choosePort: () => Promise.resolve(port) });
    if (next.isErr()) throw new Error(next.error.message);
    if (next.value.port !== port) {
      await next.value.stop();
      throw new Error('the embedded PostgreSQL was started again on another port');
    }
    server = next.value;
    tell();
  };
  const keeper: Part = {
    app: 'platform',
    name: 'embedded-postgres',
    run: async (signal, ready) => {
      if (!server.isRunning()) await revive();
      ready();
      while (!signal.aborted) {
        if (!server.isRunning()) throw new Error('the embedded PostgreSQL ended');
        await sleep(clock, LOOK_MS, signal);
      }
    },
  };
  return ok({ url, keeper });
};
