import type { Clock } from './ports/clock.port.ts';
import type { Fields, Logger } from './ports/telemetry.port.ts';

/** A failure that comes again and again is logged once in this time. */
export const REPEAT_LOG_MS = 10_000;
/** Different failures that one logger tells apart. More than that are not expected of one loop. */
const FAILURES_MAX = 1_000;

const kindOf = ({ error, cause }: Fields): string => {
  const { kind, name, code } = (error ?? cause ?? {}) as { kind?: unknown; name?: unknown; code?: unknown };
  return [kind, name, code].map(String).join(' ');
};

/**
 * A logger for loops that can fail. The first warning or error is logged at once. The same one (same level, message and
 * kind of error) is then logged at most once in `everyMs`, with `repeated`: how many lines were left out since the last
 * one. Share one such logger between all shards of a process, so that many shards do not multiply the lines.
 */
export const limitRepeats = (
  logger: Logger,
  clock: Pick<Clock, 'nowMs'>,
  everyMs: number = REPEAT_LOG_MS,
): Logger => {
  const last = new Map<string, { readonly atMs: number; leftOut: number }>();
  const limited =
    (level: 'warn' | 'error') =>
    (message: string, fields: Fields = {}): void => {
      const key = `${level} ${message} ${kindOf(fields)}`;
      const nowMs = clock.nowMs();
      const before = last.get(key);
      const sinceMs = before === undefined ? Infinity : nowMs - before.atMs;
      // A clock that was set back must not keep a failure silent.
      if (before && sinceMs >= 0 && sinceMs < everyMs) {
        before.leftOut++;
        return;
      }
      if (last.size >= FAILURES_MAX) last.clear();
      last.set(key, { atMs: nowMs, leftOut: 0 });
      logger[level](message, before?.leftOut ? { ...fields, repeated: before.leftOut } : fields);
    };
  return {
    debug: (message, fields) => logger.debug(message, fields),
    info: (message, fields) => logger.info(message, fields),
    warn: limited('warn'),
    error: limited('error'),
    child: (fields) => limitRepeats(logger.child(fields), clock, everyMs),
  };
};
