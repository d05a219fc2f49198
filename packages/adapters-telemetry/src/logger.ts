import type { Fields, Logger } from '@doska/core/kernel';
import { destination as fileDestination, pino, stdTimeFunctions, type Logger as Pino } from 'pino';
import { plain, plainText } from './plain.ts';
import { prettyLine } from './pretty.ts';

export type LogLevel = 'debug' | 'info' | 'warn' | 'error' | 'silent';
export type LoggerOptions = {
  readonly service: string;
  readonly level?: LogLevel;
  readonly pretty?: boolean;
  readonly destination?: { write(line: string): void };
};

const wrap = (to: Pino): Logger => ({
  debug: (message, fields) => write(to, 'debug', message, fields),
  info: (message, fields) => write(to, 'info', message, fields),
  warn: (message, fields) => write(to, 'warn', message, fields),
  error: (message, fields) => write(to, 'error', message, fields),
  child: (fields) => wrap(to.child(plain(fields))),
});

const write = (
  to: Pino,
  level: 'debug' | 'info' | 'warn' | 'error',
  message: string,
  fields: Fields = {},
): void => {
  // Cleaning the fields is expensive: skip it for lines below the level.
  if (to.isLevelEnabled(level)) to[level](plain(fields), plainText(message));
};

/** `ids` are the trace and span the line was written in, if any. */
export const pinoLogger = (
  { service, level = 'info', pretty = false, destination }: LoggerOptions,
  ids: () => Record<string, string>,
): Logger => {
  // Synchronous: the last lines before a crash are the ones that matter.
  const out = destination ?? fileDestination({ dest: 1, sync: true });
  const lines = pretty ? { write: (line: string) => out.write(prettyLine(line)) } : out;
  return wrap(
    pino(
      {
        level,
        base: { service },
        messageKey: 'message',
        timestamp: stdTimeFunctions.isoTime,
        formatters: { level: (label) => ({ level: label }) },
        mixin: ids,
      },
      lines,
    ),
  );
};
