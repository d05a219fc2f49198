import type { z } from 'zod';
import { accessSettings } from './settings/access.ts';
import { downloadSettings } from './settings/downloads.ts';
import { kafkaSettings } from './settings/kafka.ts';
import { platformSettings } from './settings/platform.ts';
import { serverSettings } from './settings/servers.ts';
import { telemetrySettings } from './settings/telemetry.ts';
import { topicSettings } from './settings/topics.ts';
import { ydbSettings } from './settings/ydb.ts';

/** The settings that every process has, in the order of `--help`. Contexts add their own below their name. */
export const platformGroups = [
  { title: 'Platform', settings: platformSettings },
  { title: 'Servers', settings: serverSettings },
  { title: 'Access', settings: accessSettings },
  { title: 'Logs and traces', settings: telemetrySettings },
  { title: 'Topics and leases', settings: topicSettings },
  { title: 'Kafka', settings: kafkaSettings },
  { title: 'YDB', settings: ydbSettings },
  { title: 'Downloads', settings: downloadSettings },
] as const;

export const platformShape = {
  ...platformSettings,
  ...serverSettings,
  ...accessSettings,
  ...telemetrySettings,
  ...topicSettings,
  ...kafkaSettings,
  ...ydbSettings,
  ...downloadSettings,
};

export type PlatformSettings = z.infer<z.ZodObject<typeof platformShape>>;
