import { operationsClient, type PlatformStatus } from '@doska/adapters-grpc';
import { err, ok } from 'neverthrow';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { relative, table } from './output.ts';
import { connect } from './platform.ts';

const inWords = ({ platform, workers, lags, leases, jobs }: PlatformStatus, nowMs: number): string =>
  [
    `doska ${platform.version}, profile ${platform.profile}, started ${relative(platform.startedAtMs, nowMs)}`,
    '',
    table(
      ['worker', 'app', 'state', 'restarts', 'since', 'last error'],
      workers.map((w) => ({
        worker: w.name,
        app: w.app,
        state: w.state,
        restarts: w.restarts,
        since: relative(w.sinceMs, nowMs),
        'last error': w.lastError,
      })),
    ),
    '',
    table(
      ['group', 'topic', 'partition', 'committed', 'head', 'lag', 'oldest unread'],
      lags.map((l) => ({
        group: l.group,
        topic: l.topic,
        partition: l.partition,
        committed: l.committed,
        head: l.head,
        lag: l.lag,
        'oldest unread': l.lag === 0 ? '-' : relative(nowMs - l.oldestUnreadAgeMs, nowMs),
      })),
    ),
    '',
    table(
      ['lease', 'shard', 'owner', 'token', 'expires'],
      leases.map((l) => ({
        lease: l.set,
        shard: l.shard,
        owner: l.owner,
        token: l.token,
        expires: relative(l.expiresAtMs, nowMs),
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
      problem(
        `The platform did not answer: ${JSON.stringify(status.error)}`,
        status.error.kind === 'Unavailable' ? EXIT.unavailable : EXIT.refused,
      ),
    );
  return ok({ value: status.value, text: inWords(status.value, Date.now()) });
};
