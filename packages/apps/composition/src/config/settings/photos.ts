import { setting, wholeNumber } from '../setting.ts';

const DAY_MS = 86_400_000;

export const photoSettings = {
  photoBytesMax: setting(
    'DOSKA_PHOTO_BYTES_MAX',
    wholeNumber(1_024, 1 << 28).default(20 << 20),
    'The largest picture that is fetched.',
  ),
  photoPixelsMax: setting(
    'DOSKA_PHOTO_PIXELS_MAX',
    wholeNumber(10_000, 1_000_000_000).default(50_000_000),
    'The most pixels of a picture that is looked at.',
  ),
  photoMsMax: setting(
    'DOSKA_PHOTO_MS_MAX',
    wholeNumber(100, 600_000).default(30_000),
    'The longest that one try to fetch a picture may take.',
  ),
  photoAttempts: setting(
    'DOSKA_PHOTO_ATTEMPTS',
    wholeNumber(1, 10).default(3),
    'How often a picture is tried whose server fails in passing.',
  ),
  photoParallel: setting(
    'DOSKA_PHOTO_PARALLEL',
    wholeNumber(1, 100).default(4),
    'Pictures that are worked on at a time, a process.',
  ),
  photoRememberMs: setting(
    'DOSKA_PHOTO_REMEMBER_MS',
    wholeNumber(0, 365 * DAY_MS).default(7 * DAY_MS),
    'A picture that was fetched so recently is not fetched again.',
  ),
  photoGraceMs: setting(
    'DOSKA_PHOTO_GRACE_MS',
    wholeNumber(0, 365 * DAY_MS).default(7 * DAY_MS),
    'How long a picture stays that no offer names any more.',
  ),
  photoRatePerMinute: setting(
    'DOSKA_PHOTO_RATE',
    wholeNumber(0, 1_000_000).default(6_000),
    'Pictures a minute and address without a token; 0 closes them.',
  ),
};
