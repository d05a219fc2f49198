import type { GrpcService } from '@doska/adapters-grpc';
import type { HttpRoute } from '@doska/adapters-http';
import type { TopicSpec } from '@doska/core/kernel';
import type { Container, ContainerModule } from 'inversify';
import type { Result } from 'neverthrow';
import type { Config } from './config/load.ts';
import type { StartProblem } from './host/problem.ts';
import type { Part } from './host/part.ts';

/**
 * One app as data: what it adds to the container, which topics it needs, what it runs and what it serves. The same
 * description is started alone (`npm run app -- NAME`) or together with the others in one process (`npm start`).
 */
export type App = {
  readonly name: string;
  readonly summary: string;
  readonly modules?: (config: Config) => readonly ContainerModule[];
  readonly topics?: (config: Config) => readonly TopicSpec[];
  /** Once, before the parts start: what must be there for the first of them. */
  readonly prepare?: (container: Container) => Promise<Result<void, StartProblem>>;
  /** Of parts with one name, brought by several apps of a process, one runs. */
  readonly parts?: (container: Container) => readonly Part[];
  readonly grpc?: (container: Container) => readonly GrpcService[];
  readonly http?: (container: Container) => readonly HttpRoute[];
};

/** A topic with the configured partitions, retention and record size. */
export const topicSpec = ({ partitions, retentionMs, recordBytesMax }: Config, name: string): TopicSpec => ({
  name,
  partitions,
  retentionMs,
  recordBytesMax,
});
