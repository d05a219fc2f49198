import type { ReadinessCheck } from '@doska/adapters-http';
import type { Container, ContainerModule } from 'inversify';
import type { Result } from 'neverthrow';
import type { z } from 'zod';
import type { Config } from './config/config.ts';
import type { SettingsShape } from './config/setting.ts';
import type { Store } from './config/store.ts';
import type { StartProblem } from './host/problem.ts';

/** The configuration with the settings of one context: `config.gost.exportShards` for the context `gost`. */
export type WithContext<Name extends string, Shape extends SettingsShape> = Config & {
  readonly [K in Name]: z.infer<z.ZodObject<Shape>>;
};

type Wiring<Name extends string, Shape extends SettingsShape, C extends Config> = {
  /** The key of its settings in the configuration, and the second word of their variables. */
  readonly name: Name;
  /** The heading of its settings in the documentation. */
  readonly title: string;
  readonly settings: Shape;
  /** Checks across several settings. Returns one line per mistake, starting with the variable's name. */
  readonly check?: (config: C) => readonly string[];
  /** Where its data is. Undefined: always in PostgreSQL. */
  readonly store?: (config: C) => Store;
  readonly module: (config: C) => ContainerModule;
  /** Runs once per process, after all modules are loaded and before anything is built from them. */
  readonly prepare?: (container: Container) => Promise<Result<void, StartProblem>>;
  /** What must hold for every process that uses the context, by name. */
  readonly readiness?: (container: Container) => Readonly<Record<string, ReadinessCheck>>;
};

/** What a process must know to use one context: its settings and what it binds in the container. */
export type ContextWiring<Name extends string = string, Shape extends SettingsShape = SettingsShape> = Wiring<
  Name,
  Shape,
  Config
>;

/**
 * Gives the functions of a wiring a configuration that has the context's settings. The host passes only configurations
 * that were loaded with this context (see `contextsOf`), so the cast is safe.
 */
export const defineContext = <const Name extends string, const Shape extends SettingsShape>(
  wiring: Wiring<Name, Shape, WithContext<Name, Shape>>,
): ContextWiring<Name, Shape> => wiring as unknown as ContextWiring<Name, Shape>;

/** The type of a configuration that was loaded with these contexts. */
export type ConfigOf<Contexts extends readonly ContextWiring[]> = Config & {
  readonly [C in Contexts[number] as C['name']]: z.infer<z.ZodObject<C['settings']>>;
};
