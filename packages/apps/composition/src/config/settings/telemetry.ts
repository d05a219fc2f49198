import { z } from 'zod';
import { setting } from '../setting.ts';

export const telemetrySettings = {
  logLevel: setting(
    'DOSKA_LOG_LEVEL',
    z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    'The lowest level of log lines that are written.',
    { inReadme: true },
  ),
  logFormat: setting(
    'DOSKA_LOG_FORMAT',
    z.enum(['pretty', 'json']).optional(),
    'The format of log lines: `pretty` for people, `json` for programs.',
    { otherwise: '`pretty` on a terminal, else `json`' },
  ),
  otlpUrl: setting('DOSKA_OTLP_URL', z.url().optional(), 'The address for traces (OTLP over HTTP).'),
};
