import { defaultPhotosSettings, type PhotosSettings } from '@doska/core/photos';
import type { PhotosConfig } from './tokens.ts';
const HOUR_MS = 3_600_000;

/** The settings of this installation over the defaults of the domain. */
export const photosSettingsOf = (config: PhotosConfig, requestAttemptsMax: number): PhotosSettings => {
  const { download, render, retry, settleMs } = defaultPhotosSettings;
  return {
    download: {
      ...download,
      bytesMax: config.bytesMax,
      decodedBytesMax: config.bytesMax,
      totalMs: config.downloadMsMax,
    },
    render: { ...render, pixelsMax: config.pixelsMax },
    retry: { ...retry, attemptsMax: config.attempts },
    parallelMax: config.parallel,
    hosts: { failuresMax: config.hostFailuresMax, pauseMs: config.hostPauseMs },
    remember: { readyMs: config.rememberMs, failedMs: Math.min(HOUR_MS, config.rememberMs) },
    graceMs: config.graceMs,
    requestAttemptsMax,
    settleMs,
  };
};
