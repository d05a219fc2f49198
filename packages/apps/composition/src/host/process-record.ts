import { sleep, type Clock, type GenericStorage, type Unavailable } from '@doska/core/kernel';
import { type ResultAsync, type Result, ok, err } from 'neverthrow';
import { z } from 'zod';

const SPACE = 'processes';
const PAGE = 1_000;
/** A part's error may quote a whole query. */
const ERROR_CHARS_MAX = 300;
/** More blocked partitions have one cause: the first ones name it. */
const BLOCKED_MAX = 50;

const Record = z.object({
  id: z.string(),
  apps: z.array(z.string()),
  version: z.string(),
  host: z.string(),
  pid: z.number(),
  startedAtMs: z.number(),
  heartbeatAtMs: z.number(),
  workers: z.array(
    z.object({
      name: z.string(),
      app: z.string(),
      state: z.enum(['running', 'restarting', 'stopped', 'failed']),
      restarts: z.number(),
      lastError: z
        .string()
        .transform((text) => text.slice(0, ERROR_CHARS_MAX))
        .exactOptional(),
      sinceMs: z.number(),
    }),
  ),
  /** Partitions that a record blocks; a record of an earlier version has none. */
  blocked: z
    .array(
      z.object({
        group: z.string(),
        topic: z.string(),
        partition: z.number(),
        offset: z.number(),
        key: z.string().transform((text) => text.slice(0, ERROR_CHARS_MAX)),
        reason: z.string().transform((text) => text.slice(0, ERROR_CHARS_MAX)),
        sinceMs: z.number(),
      }),
    )
    .transform((blocked) => blocked.slice(0, BLOCKED_MAX))
    .exactOptional(),
});
/** What a process tells of itself. Every process of the platform has one record in the shared storage. */
export type ProcessRecord = z.infer<typeof Record>;

const decode = (value: Uint8Array): readonly ProcessRecord[] => {
  try {
    const parsed = Record.safeParse(JSON.parse(new TextDecoder().decode(value)));
    return parsed.success ? [parsed.data] : []; // written by another version
  } catch {
    return [];
  }
};
const encode = (record: ProcessRecord): Uint8Array =>
  new TextEncoder().encode(JSON.stringify(Record.parse(record)));

/** The records of all processes, also of those that have died. */
export const listProcesses = (storage: GenericStorage): ResultAsync<readonly ProcessRecord[], Unavailable> =>
  storage.list(SPACE, { limit: PAGE }).map((values) => values.flatMap(({ value }) => decode(value)));

/** Removes the records that `isOld` names, and those that can't be read. */
export const purgeProcesses = async (
  storage: GenericStorage,
  isOld: (record: ProcessRecord) => boolean,
): Promise<Result<void, Unavailable>> => {
  const values = await storage.list(SPACE, { limit: PAGE });
  if (values.isErr()) return err(values.error);
  for (const { key, value, version } of values.value) {
    const [record] = decode(value);
    if (record === undefined || isOld(record)) await storage.remove(SPACE, key, version);
  }
  return ok(undefined);
};

type Options = {
  readonly storage: GenericStorage;
  readonly clock: Clock;
  readonly everyMs: number;
  readonly keepMs: number;
  readonly describe: () => Omit<ProcessRecord, 'heartbeatAtMs'>;
};
const isAlive = (pid: number): boolean => {
  try {
    return process.kill(pid, 0);
  } catch (cause) {
    return (cause as NodeJS.ErrnoException).code === 'EPERM';
  }
};
/** A process of the same apps that died on this machine: the restarted one takes its place. */
const replaces =
  (us: Omit<ProcessRecord, 'heartbeatAtMs'>) =>
  ({ id, host, apps, pid }: ProcessRecord): boolean =>
    id !== us.id && host === us.host && apps.join() === us.apps.join() && (pid === us.pid || !isAlive(pid));

export type Announced = {
  /** Removes the record, or with `keep` writes the last state, so that others see how the process ended. */
  stop(options: { readonly keep: boolean }): Promise<void>;
};

/** Stores the state of this process again and again. A storage that is away is tried again at the next beat. */
export const announceProcess = (options: Options): Announced => {
  const { storage, clock, everyMs, keepMs, describe } = options;
  const ended = new AbortController();
  const { id } = describe();
  const isReplaced = replaces(describe());
  let version = 0;
  const beat = async (): Promise<void> => {
    const value = encode({ ...describe(), heartbeatAtMs: clock.nowMs() });
    const put = await storage.put(SPACE, id, value, version);
    if (put.isOk()) version = put.value;
    // An earlier write whose answer was lost. Only this process writes the key.
    else if (put.error.kind === 'VersionConflict') version = put.error.actual;
  };
  const follow = async (): Promise<void> => {
    for (let purgedAtMs = -Infinity; !ended.signal.aborted; await sleep(clock, everyMs, ended.signal)) {
      await beat();
      if (clock.nowMs() - purgedAtMs < keepMs / 10) continue;
      purgedAtMs = clock.nowMs();
      const nowMs = purgedAtMs;
      await purgeProcesses(storage, (one) => nowMs - one.heartbeatAtMs > keepMs || isReplaced(one));
    }
  };
  const following = follow();
  return {
    stop: async ({ keep }) => {
      ended.abort();
      await following;
      if (keep) await beat();
      else await storage.remove(SPACE, id, version);
    },
  };
};
