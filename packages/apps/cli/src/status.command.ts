import { operationsClient, type PlatformStatus } from '@doska/adapters-grpc';
import { err, ok } from 'neverthrow';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { relative, table } from './output.ts';
import { connect } from './platform.ts';
import { painted, terminalOf, type Terminal } from './terminal.ts';
import { refusalInWords } from './refusal.ts';

/** One line for all that share a key: what a member holds of a set, where a group is in a topic. */
const together = <T>(
  all: readonly T[],
  keyOf: (one: T) => readonly unknown[],
): readonly (readonly [T, ...T[]])[] => {
  const groups = new Map<string, [T, ...T[]]>();
  for (const one of all) {
    const key = JSON.stringify(keyOf(one));
    const known = groups.get(key);
    if (known) known.push(one);
    else groups.set(key, [one]);
  }
  return [...groups.values()];
};
/** 0-3,7 */
const ranges = (numbers: readonly number[]): string => {
  const runs: [from: number, to: number][] = [];
  for (const n of [...numbers].sort((a, b) => a - b)) {
    const last = runs.at(-1);
    if (last && last[1] === n - 1) last[1] = n;
    else runs.push([n, n]);
  }
  return runs.map(([from, to]) => (from === to ? `${from}` : `${from}-${to}`)).join(',');
};

/** The last characters of an id are random, the first ones are a time. */
const short = (id: string): string => id.slice(-8);

const inWords = (
  { platform, lags, leases, jobs, processes, troubles }: PlatformStatus,
  nowMs: number,
  terminal: Terminal,
): string =>
  [
    ...troubles.map((trouble) => painted(terminal, 'red', `! ${trouble}`)),
    ...(troubles.length > 0 ? [''] : []),
    `doska ${platform.version}, profile ${platform.profile}, started ${relative(platform.startedAtMs, nowMs)}`,
    '',
    table(
      ['process', 'state', 'version', 'host', 'pid', 'started', 'heartbeat', 'apps'],
      processes.map((p) => ({
        process: short(p.id),
        state: p.isMissing ? 'missing' : 'running',
        version: p.version,
        host: p.host,
        pid: p.pid,
        started: relative(p.startedAtMs, nowMs),
        heartbeat: relative(p.heartbeatAtMs, nowMs),
        apps: p.apps.join(', '),
      })),
    ),
    '',
    table(
      ['worker', 'app', 'state', 'restarts', 'since', 'process', 'last error'],
      processes.flatMap((p) =>
        p.workers.map((w) => ({
          worker: w.name,
          app: w.app,
          state: w.state,
          restarts: w.restarts,
          since: relative(w.sinceMs, nowMs),
          process: short(p.id),
          'last error': w.lastError,
        })),
      ),
    ),
    '',
    table(
      ['group', 'topic', 'partitions', 'records', 'lag', 'behind', 'oldest unread'],
      together(lags, ({ group, topic }) => [group, topic]).map((partitions) => {
        const behind = partitions.filter(({ lag }) => lag > 0);
        return {
          group: partitions[0].group,
          topic: partitions[0].topic,
          partitions: ranges(partitions.map(({ partition }) => partition)),
          records: partitions.reduce((sum, { head }) => sum + head, 0),
          lag: behind.reduce((sum, { lag }) => sum + lag, 0),
          behind: behind.length === 0 ? '-' : ranges(behind.map(({ partition }) => partition)),
          'oldest unread':
            behind.length === 0
              ? '-'
              : relative(
                  nowMs - Math.max(...behind.map(({ oldestUnreadAgeMs }) => oldestUnreadAgeMs)),
                  nowMs,
                ),
        };
      }),
    ),
    '',
    table(
      ['lease', 'shards', 'owner', 'token', 'expires'],
      together(leases, ({ set, owner }) => [set, owner]).map((held) => ({
        lease: held[0].set,
        shards: ranges(held.map(({ shard }) => shard)),
        owner: held[0].owner,
        token: Math.max(...held.map(({ token }) => token)),
        expires: relative(held[0].expiresAtMs, nowMs),
      })),
    ),
    '',
    table(
      ['job', 'last run', 'result', 'next run', 'last error'],
      jobs.map((j) => ({
        job: j.name,
        'last run': relative(j.lastRunAtMs, nowMs),
        result: j.lastResult,
        'next run': relative(j.nextRunAtMs, nowMs),
        'last error': j.lastError,
      })),
    ),
  ].join('\n');

export const statusCommand = async (): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const status = await operationsClient(channel.value).status({ deadlineMs: 10_000 });
  channel.value.close();
  if (status.isErr())
    return err(
      status.error.kind === 'Malformed'
        ? problem(`The platform is of another version: ${status.error.field} is unknown.`, EXIT.refused)
        : refusalInWords('The platform', status.error),
    );
  const { troubles } = status.value;
  return ok({
    value: status.value,
    text: inWords(status.value, Date.now(), terminalOf(process.stdout, process.env)),
    exitCode: troubles.length > 0 ? EXIT.trouble : 0,
  });
};
