import { z } from 'zod';
import { setting } from '../setting.ts';

export const telemetrySettings = {
  logLevel: setting(
    'DOSKA_LOG_LEVEL',
    z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    'How much the process tells of itself.',
  ),
  logFormat: setting(
    'DOSKA_LOG_FORMAT',
    z.enum(['pretty', 'json']).optional(),
    'Lines for people or for machines. By default `pretty` on a terminal.',
  ),
  otlpUrl: setting('DOSKA_OTLP_URL', z.url().optional(), 'Where traces are sent (OTLP over HTTP).'),
};
