import type { HotRoute, HttpMount, HttpRoute, ReadinessCheck } from '@doska/adapters-http';
import type { RpcService } from '@doska/adapters-rpc';
import type { TopicSpec } from '@doska/core/kernel';
import type { Container, ContainerModule } from 'inversify';
import type { Result } from 'neverthrow';
import type { Config } from './config/config.ts';
import type { ContextWiring } from './context.ts';
import type { StartProblem } from './host/problem.ts';
import type { Part } from './host/part.ts';

/**
 * One app as data: which contexts it uses, which topics it needs, what it runs and what it serves. The same description
 * runs alone (`npm run app -- NAME`) or together with the others in one process (`npm start`).
 *
 * `parts`, `services`, `http`, `hot` and `mounts` only build objects. The host calls them for every app before it starts the first part, so
 * a token that is missing or bound twice stops the start. They must ask the container for everything they need at once,
 * not later in `run`.
 */
export type App = {
  readonly name: string;
  readonly summary: string;
  /** The host loads and prepares each context once, also if several apps list it. */
  readonly contexts?: readonly ContextWiring[];
  /** Bindings that only this app uses. */
  readonly modules?: (config: Config) => readonly ContainerModule[];
  readonly topics?: (config: Config) => readonly TopicSpec[];
  /** Runs once before the parts start. It must bind nothing: other apps can't rely on it. */
  readonly prepare?: (container: Container) => Promise<Result<void, StartProblem>>;
  /** If several apps of a process have a part of the same name, only the first one runs. */
  readonly parts?: (container: Container) => readonly Part[];
  /** Served by gRPC, and as JSON where the contract gives a method a route. */
  readonly services?: (container: Container) => readonly RpcService[];
  readonly http?: (container: Container) => readonly HttpRoute[];
  /** For the few routes that need more speed than Express has. They are asked before all other routes. */
  readonly hot?: (container: Container) => readonly HotRoute[];
  /** Pages and files, each under one path with one access. */
  readonly mounts?: (container: Container) => readonly HttpMount[];
  /** What must hold for the calls of this app to work, by name. The database and the parts are always checked. */
  readonly readiness?: (container: Container) => Readonly<Record<string, ReadinessCheck>>;
};

/** A topic with the configured partitions, retention and record size. */
export const topicSpec = ({ partitions, retentionMs, recordBytesMax }: Config, name: string): TopicSpec => ({
  name,
  partitions,
  retentionMs,
  recordBytesMax,
});
