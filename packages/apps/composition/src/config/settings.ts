import { z } from 'zod';
import { accessSettings } from './settings/access.ts';
import { catalogSettings } from './settings/catalog.ts';
import { downloadSettings } from './settings/downloads.ts';
import { gostSettings } from './settings/gost.ts';
import { kafkaSettings } from './settings/kafka.ts';
import { logSettings } from './settings/log.ts';
import { photoSettings } from './settings/photos.ts';
import { platformSettings } from './settings/platform.ts';
import { serverSettings } from './settings/servers.ts';
import { telemetrySettings } from './settings/telemetry.ts';
import { ydbSettings } from './settings/ydb.ts';

/** Every setting of every app, in the order in which `--help` shows them. A key is absent only where nothing is a meaningful value. */
export const settings = z.strictObject({
  ...platformSettings,
  ...kafkaSettings,
  ...ydbSettings,
  ...serverSettings,
  ...accessSettings,
  ...catalogSettings,
  ...gostSettings,
  ...downloadSettings,
  ...photoSettings,
  ...telemetrySettings,
  ...logSettings,
});

export type Settings = z.infer<typeof settings>;
