import { readFileSync } from 'node:fs';
import { allowedPlaces } from '@doska/adapters-download';
import { err, ok, Result } from 'neverthrow';
import { infoOf, listed } from './setting.ts';
import { settings, type Settings } from './settings.ts';

/** `chosen`: the settings somebody gave, as opposed to defaults. */
export type Config = Settings & { readonly chosen: ReadonlySet<keyof Settings> };
export type ConfigProblem = { readonly kind: 'ConfigProblem'; readonly lines: readonly string[] };
export type Loaded = { readonly config: Config; readonly warnings: readonly string[] };

export type Environment = Readonly<Record<string, string | undefined>>;
/** Not settings: these steer tests and tools. */
const FOREIGN = /^DOSKA_(TEST_|SIM_|SEED$|TAPE$|CONFIG$|URL$|TOKEN$)/;
const keys = Object.keys(settings.shape) as (keyof Settings)[];
const envOf = (key: keyof Settings): string => infoOf(settings.shape[key]).env;

const problem = (...lines: readonly string[]): Result<never, ConfigProblem> =>
  err({ kind: 'ConfigProblem', lines });

const fromFile = (path: string | undefined): Result<Record<string, unknown>, ConfigProblem> => {
  if (path === undefined) return ok({});
  const text = Result.fromThrowable(readFileSync)(path, 'utf8');
  if (text.isErr()) return problem(`DOSKA_CONFIG: ${path} can't be read`);
  const parsed = Result.fromThrowable((json: string): unknown => JSON.parse(json))(String(text.value));
  if (parsed.isErr() || typeof parsed.value !== 'object' || parsed.value === null)
    return problem(`DOSKA_CONFIG: ${path} is not a JSON object`);
  const unknown = Object.keys(parsed.value).filter((key) => !(keys as string[]).includes(key));
  if (unknown.length > 0)
    return problem(
      ...unknown.map((key) => `DOSKA_CONFIG: ${path} has a setting that does not exist: ${key}`),
    );
  return ok(parsed.value as Record<string, unknown>);
};
const fromEnvironment = (env: Environment): Record<string, unknown> =>
  Object.fromEntries(
    keys.flatMap((key) =>
      env[envOf(key)] === undefined || env[envOf(key)] === '' ? [] : [[key, env[envOf(key)]]],
    ),
  );

/** What is given but wrong is named by its variable; the value of a secret never is. */
const complaint = (path: readonly PropertyKey[], message: string, given: Record<string, unknown>): string => {
  const key = String(path[0]) as keyof Settings;
  const { env, secret } = infoOf(settings.shape[key]);
  return `${env}: ${message}${secret || given[key] === undefined ? '' : ` (it is ${JSON.stringify(given[key])})`}`;
};
const acrossSettings = (config: Settings): string[] => {
  const { profile, databaseUrl, tokenKey, signingSecret, leaseMs, heartbeatMs } = config;
  const wrong: string[] = [];
  if (profile !== 'embedded') {
    if (databaseUrl === undefined) wrong.push(`DATABASE_URL: needed by DOSKA_PROFILE=${profile}`);
    if (tokenKey === undefined) wrong.push(`DOSKA_TOKEN_KEY: needed by DOSKA_PROFILE=${profile}`);
    if (signingSecret === undefined) wrong.push(`DOSKA_SIGNING_SECRET: needed by DOSKA_PROFILE=${profile}`);
  }
  if (config.log === 'kafka' && config.kafkaBrokers === undefined)
    wrong.push('KAFKA_BROKERS: needed by DOSKA_LOG=kafka');
  if (config.offers === 'ydb' && config.ydbConnectionString === undefined)
    wrong.push('YDB_CONNECTION_STRING: needed by DOSKA_OFFERS=ydb');
  if (config.ydbAuth === 'token' && config.ydbToken === undefined)
    wrong.push('DOSKA_YDB_TOKEN: needed by DOSKA_YDB_AUTH=token');
  if (config.ydbAuth === 'password' && (config.ydbUser === undefined || config.ydbPassword === undefined))
    wrong.push('DOSKA_YDB_USER, DOSKA_YDB_PASSWORD: needed by DOSKA_YDB_AUTH=password');
  if (config.kafkaSasl !== undefined) {
    if (config.kafkaUser === undefined) wrong.push('DOSKA_KAFKA_USER: needed by DOSKA_KAFKA_SASL');
    if (config.kafkaPassword === undefined) wrong.push('DOSKA_KAFKA_PASSWORD: needed by DOSKA_KAFKA_SASL');
  }
  const places = allowedPlaces(listed(config.downloadAllow));
  if (places.isErr())
    wrong.push(...places.error.violations.map(({ message }) => `DOSKA_DOWNLOAD_ALLOW: ${message}`));
  if (config.archiveDays > 0 && config.archiveDays < config.bannedFeedDays)
    wrong.push(
      `DOSKA_ARCHIVE_DAYS: at least DOSKA_BANNED_FEED_DAYS (${config.bannedFeedDays}), or a banned offer is archived while its feed may still bring it back`,
    );
  if (heartbeatMs * 3 > leaseMs)
    wrong.push('DOSKA_HEARTBEAT_MS: at most a third of DOSKA_LEASE_MS, or one late beat costs the lease');
  return wrong;
};

/** The environment wins over the file named by DOSKA_CONFIG; both over the defaults. Every mistake is listed. */
export const loadConfig = (env: Environment): Result<Loaded, ConfigProblem> =>
  fromFile(env['DOSKA_CONFIG']).andThen((file) => {
    const given = { ...file, ...fromEnvironment(env) };
    const parsed = settings.safeParse(given);
    if (!parsed.success)
      return problem(...parsed.error.issues.map(({ path, message }) => complaint(path, message, given)));
    const wrong = acrossSettings(parsed.data);
    if (wrong.length > 0) return problem(...wrong);
    const known = new Set(keys.map(envOf));
    const warnings = Object.keys(env).filter(
      (name) => name.startsWith('DOSKA_') && !known.has(name) && !FOREIGN.test(name),
    );
    return ok({
      config: { ...parsed.data, chosen: new Set(Object.keys(given) as (keyof Settings)[]) },
      warnings: warnings.map((name) => `${name} is set, but there is no such setting`),
    });
  });
