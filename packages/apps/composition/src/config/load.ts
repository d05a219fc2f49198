import { err, ok, type Result } from 'neverthrow';
import type { ConfigOf, ContextWiring } from '../context.ts';
import { checkPlatform } from './check-platform.ts';
import { checkStores } from './check-stores.ts';
import type { Config } from './config.ts';
import { readConfigFile, type Given } from './file.ts';
import { nearest } from './nearest.ts';
import { knownSettings, schemaOf, type KnownSetting } from './schema.ts';

export type ConfigProblem = { readonly kind: 'ConfigProblem'; readonly lines: readonly string[] };
export type Loaded<C extends Config = Config> = {
  readonly config: C;
  readonly warnings: readonly string[];
};

export type Environment = Readonly<Record<string, string | undefined>>;
/** Variables of tests and tools. They are no settings. */
const FOREIGN = /^DOSKA_(TEST_|SIM_|SEED$|TAPE$|CONFIG$|URL$|TOKEN$)/;
const PREFIX = 'DOSKA_';

const problem = (lines: readonly string[]): Result<never, ConfigProblem> =>
  err({ kind: 'ConfigProblem', lines });
const dotted = (path: readonly PropertyKey[]): string => path.map(String).join('.');

const fromEnvironment = (env: Environment, known: readonly KnownSetting[]): Given =>
  new Map(
    known.flatMap(({ path, info }) => {
      const value = env[info.env];
      return value === undefined || value === '' ? [] : [[dotted(path), value] as const];
    }),
  );

/** `{ 'gost.exportShards' → 8 }` becomes `{ gost: { exportShards: 8 } }`. */
const nested = (given: Given): Record<string, unknown> => {
  const root: Record<string, unknown> = {};
  for (const [path, value] of given) {
    const [group, key] = path.split('.');
    if (group === undefined) continue;
    if (key === undefined) root[group] = value;
    else root[group] = { ...(root[group] as object | undefined), [key]: value };
  }
  return root;
};

/** Names the variable, and the wrong value unless it is a secret. */
const complaint = (
  path: readonly PropertyKey[],
  message: string,
  given: Given,
  known: readonly KnownSetting[],
): string => {
  const { env, secret } = known.find((one) => dotted(one.path) === dotted(path))?.info ?? {
    env: dotted(path),
  };
  const value = given.get(dotted(path));
  return `${env}: ${message}${secret || value === undefined ? '' : ` (it is ${JSON.stringify(value)})`}`;
};

const unknownVariables = (env: Environment, known: readonly KnownSetting[]): readonly string[] => {
  const names = known.map(({ info }) => info.env);
  return Object.keys(env)
    .filter((name) => name.startsWith(PREFIX) && !names.includes(name) && !FOREIGN.test(name))
    .map((name) => {
      const similar = nearest(name, names, Math.floor((name.length - PREFIX.length) / 2));
      return `${name} is set, but there is no such setting${similar === undefined ? '' : `; the nearest one is ${similar}`}`;
    });
};

/**
 * Loads the settings of the platform and of these contexts. The environment wins over the file named by DOSKA_CONFIG,
 * and the file wins over the defaults. Returns every mistake, not only the first.
 */
export const loadConfig = <const Contexts extends readonly ContextWiring[]>(
  env: Environment,
  contexts: Contexts,
): Result<Loaded<ConfigOf<Contexts>>, ConfigProblem> => {
  const known = knownSettings(contexts);
  return readConfigFile(
    env['DOSKA_CONFIG'],
    known.map(({ path }) => dotted(path)),
  )
    .mapErr((lines): ConfigProblem => ({ kind: 'ConfigProblem', lines }))
    .andThen((file) => {
      const given: Given = new Map([...file, ...fromEnvironment(env, known)]);
      const parsed = schemaOf(contexts).safeParse(nested(given));
      if (!parsed.success)
        return problem(
          parsed.error.issues.map(({ path, message }) => complaint(path, message, given, known)),
        );
      const config = { ...parsed.data, chosen: new Set(given.keys()) } as unknown as ConfigOf<Contexts>;
      const wrong = [
        ...checkPlatform(config),
        ...checkStores(config, contexts),
        ...contexts.flatMap((context) => context.check?.(config) ?? []),
      ];
      if (wrong.length > 0) return problem(wrong);
      return ok({ config, warnings: unknownVariables(env, known) });
    });
};
