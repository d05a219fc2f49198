import { resolve } from 'node:path';
import { grpcChannel, type GrpcChannel } from '@doska/adapters-grpc';
import { loadConfig, readRun, systemClock, type Config } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { err, ok, type Result } from 'neverthrow';
import { EXIT, problem, type CommandProblem } from './outcome.ts';

export const configured = (): Result<Config, CommandProblem> =>
  loadConfig(process.env, contexts)
    .map(({ config }) => ({ ...config, dataDir: resolve(config.dataDir) }))
    .mapErr(({ lines }) => problem(lines.join('\n'), EXIT.config));

/** The platform to talk to: DOSKA_URL with DOSKA_TOKEN, or the one that runs on the data directory. */
export const connect = (): Result<GrpcChannel, CommandProblem> => {
  const { DOSKA_URL: target, DOSKA_TOKEN: token } = process.env;
  if (target) return ok(grpcChannel({ target, clock: systemClock, ...(token ? { token } : {}) }));
  return configured().andThen(({ dataDir }) => {
    const run = readRun(dataDir);
    if (!run)
      return err(
        problem(
          `No platform runs on ${dataDir}. Start one with \`npm start\`, or name one by DOSKA_URL (gRPC host:port) and DOSKA_TOKEN.`,
          EXIT.unavailable,
        ),
      );
    const key = token ?? run.token;
    return ok(
      grpcChannel({
        target: run.grpcAddress,
        clock: systemClock,
        ...(key === undefined ? {} : { token: key }),
      }),
    );
  });
};
