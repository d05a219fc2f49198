import type { HotRoute, HttpMount, HttpRoute, ReadinessCheck } from '@doska/adapters-http';
import type { RpcService } from '@doska/adapters-rpc';
import type { Container } from 'inversify';
import { err, ok, Result } from 'neverthrow';
import type { App } from '../app.ts';
import type { Part } from './part.ts';
import { startProblem, type StartProblem } from './problem.ts';

/** Everything that the apps of a process run and serve, built but not started. */
export type Assembly = {
  readonly parts: readonly Part[];
  readonly services: readonly RpcService[];
  readonly routes: readonly HttpRoute[];
  readonly hot: readonly HotRoute[];
  readonly mounts: readonly HttpMount[];
  readonly readiness: Readonly<Record<string, ReadinessCheck>>;
};

const UNRESOLVED = /^(No|Ambiguous) bindings found for service: "Symbol\(doska\.([^)]+)\)"/;

/** A container's complaint about a token as a problem with the names of token and owner. Anything else is a bug. */
const problemOf = (owner: string, cause: unknown): StartProblem => {
  const [, kind, token] = (cause instanceof Error && UNRESOLVED.exec(cause.message)) || [];
  if (kind === undefined || token === undefined) throw cause;
  return startProblem(
    kind === 'No'
      ? `${owner}: the token ${token} is not bound. Does the app list every context that it uses?`
      : `${owner}: the token ${token} is bound more than once`,
  );
};

/** Runs work that asks the container. `owner` is the app or context that the work belongs to. */
export const wired = async <T>(
  owner: string,
  work: () => T | Promise<T>,
): Promise<Result<Awaited<T>, StartProblem>> => {
  try {
    return ok(await work());
  } catch (cause) {
    return err(problemOf(owner, cause));
  }
};

const firstOfName = (all: readonly Part[]): readonly Part[] =>
  all.filter(({ name }, i) => all.findIndex((other) => other.name === name) === i);

/** Builds the parts, services and routes of all apps. A token that can't be resolved is a problem that names it. */
export const assemble = async (
  apps: readonly App[],
  container: Container,
): Promise<Result<Assembly, StartProblem>> => {
  const each = await Promise.all(
    apps.map((app) =>
      wired(app.name, () => ({
        parts: app.parts?.(container) ?? [],
        services: app.services?.(container) ?? [],
        routes: app.http?.(container) ?? [],
        hot: app.hot?.(container) ?? [],
        mounts: app.mounts?.(container) ?? [],
        readiness: [...(app.contexts ?? []), app].map((one) => one.readiness?.(container) ?? {}),
      })),
    ),
  );
  return Result.combine(each).map((built) => ({
    parts: firstOfName(built.flatMap(({ parts }) => parts)),
    services: built.flatMap(({ services }) => services),
    routes: built.flatMap(({ routes }) => routes),
    hot: built.flatMap(({ hot }) => hot),
    mounts: built.flatMap(({ mounts }) => mounts),
    readiness: Object.assign({}, ...built.flatMap(({ readiness }) => readiness)) as Assembly['readiness'],
  }));
};
