import { defaultFeedsSettings, type FeedsSettings } from '@doska/core/feeds';
import type { FeedsConfig } from './tokens.ts';

/** The settings of this installation over the defaults of the domain. */
export const feedsSettingsOf = (config: FeedsConfig): FeedsSettings => ({
  ...defaultFeedsSettings,
  task: {
    ...defaultFeedsSettings.task,
    attemptsMax: config.attempts,
    answerWithinMs: config.answerMs,
    backoff: { ...defaultFeedsSettings.task.backoff, firstMs: config.retryMs },
  },
  lockMs: config.lockMs,
  renewMs: Math.min(config.renewMs, Math.floor(config.lockMs / 3)),
  pollMs: config.pollMs,
  runsMax: config.runs,
  downloadsMax: config.downloads,
  downloadsPerHost: config.downloadsPerHost,
  file: {
    ...defaultFeedsSettings.file,
    bytesMax: config.fileBytesMax,
    decodedBytesMax: config.decodedBytesMax,
    downloadMs: config.downloadMsMax,
  },
  offersMax: config.offersMax,
  read: {
    ratioMax: config.ratioMax,
    depthMax: config.depthMax,
    nameCharsMax: config.nameCharsMax,
    attributesMax: config.attributesMax,
    attributeCharsMax: config.attributeCharsMax,
    textCharsMax: config.textCharsMax,
  },
  runMsMax: config.runMsMax,
  errorsStoredMax: config.errorsMax,
  surenessMin: config.surenessPercent / 100,
  keepProcessed: config.keepProcessed,
  keepOthers: config.keepOthers,
  reprocessAfterMs: config.reprocessMs,
  ownerMs: config.unusedMs,
  settleMs: config.settleMs,
});
