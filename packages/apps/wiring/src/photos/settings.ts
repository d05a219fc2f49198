import { setting, wholeNumber } from '@doska/app-composition';

const DAY_MS = 86_400_000;

export const photosSettings = {
  bytesMax: setting(
    'DOSKA_PHOTOS_BYTES_MAX',
    wholeNumber(1_024, 1 << 28).default(20 << 20),
    'The largest image file that is downloaded, in bytes.',
  ),
  pixelsMax: setting(
    'DOSKA_PHOTOS_PIXELS_MAX',
    wholeNumber(10_000, 1_000_000_000).default(50_000_000),
    'The largest image that is decoded, in pixels.',
  ),
  downloadMsMax: setting(
    'DOSKA_PHOTOS_DOWNLOAD_MS_MAX',
    wholeNumber(100, 600_000).default(30_000),
    'The longest time of one attempt to download a photo.',
  ),
  attempts: setting(
    'DOSKA_PHOTOS_ATTEMPTS',
    wholeNumber(1, 10).default(3),
    'Attempts to download a photo if the errors look temporary.',
  ),
  parallel: setting(
    'DOSKA_PHOTOS_PARALLEL',
    wholeNumber(1, 100).default(4),
    'Photos in progress at the same time per process.',
  ),
  hostFailuresMax: setting(
    'DOSKA_PHOTOS_HOST_FAILURES_MAX',
    wholeNumber(1, 1_000_000).default(5),
    'Failures of a host, one after another, after which it is not asked for a while. Its photos then fail at once.',
  ),
  hostPauseMs: setting(
    'DOSKA_PHOTOS_HOST_PAUSE_MS',
    wholeNumber(0, 3_600_000).default(60_000),
    'How long a host that does not answer is not asked.',
  ),
  rememberMs: setting(
    'DOSKA_PHOTOS_REMEMBER_MS',
    wholeNumber(0, 365 * DAY_MS).default(7 * DAY_MS),
    'A URL that was downloaded within this time is not downloaded again.',
  ),
  graceMs: setting(
    'DOSKA_PHOTOS_GRACE_MS',
    wholeNumber(0, 365 * DAY_MS).default(7 * DAY_MS),
    'How long a photo is kept after the last offer stopped using it.',
  ),
  ratePerMinute: setting(
    'DOSKA_PHOTOS_RATE_PER_MINUTE',
    wholeNumber(0, 1_000_000).default(6_000),
    'Photo requests without a token per minute per IP. 0 requires a token.',
  ),
};
