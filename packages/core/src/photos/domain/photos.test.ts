import { describe, expect, test } from 'vitest';
import type { BlobHash, DownloadError } from '../../kernel/index.ts';
import { failureOf, type ImageError } from './failure.ts';
import type { PhotoFailureCode, PhotoOutcome } from './photo.ts';
import { isFresh, isWorthRemembering, memoryKey } from './remembered.ts';

describe('failures', () => {
  const cases: readonly [DownloadError | ImageError, PhotoFailureCode, boolean][] = [
    [{ kind: 'BadUrl', url: 'x', reason: 'not a URL' }, 'bad-url', true],
    [{ kind: 'ForbiddenAddress', host: 'db.local', address: '10.0.0.7' }, 'forbidden-address', true],
    [{ kind: 'UnknownHost', host: 'a.example' }, 'unreachable', false],
    [{ kind: 'Unavailable', what: 'download', retryable: true }, 'unreachable', false],
    [{ kind: 'Unavailable', what: 'certificate', retryable: false }, 'unreachable', true],
    [{ kind: 'DownloadTimedOut', phase: 'idle', limitMs: 1 }, 'timed-out', false],
    [{ kind: 'HttpStatus', status: 404 }, 'not-found', true],
    [{ kind: 'HttpStatus', status: 410 }, 'not-found', true],
    [{ kind: 'HttpStatus', status: 403 }, 'refused', true],
    [{ kind: 'HttpStatus', status: 503 }, 'refused', false],
    [{ kind: 'BadResponse', reason: 'HPE_INVALID' }, 'refused', true],
    [{ kind: 'TooManyRedirects', redirectsMax: 5 }, 'too-many-redirects', true],
    [{ kind: 'DownloadTooLarge', bytesMax: 9, of: 'body' }, 'too-large', true],
    [{ kind: 'NotAPicture' }, 'not-a-picture', true],
    [{ kind: 'TooManyPixels', pixelsMax: 9 }, 'too-many-pixels', true],
    [{ kind: 'TooComplex' }, 'too-complex', true],
  ];
  test.each(cases)('[G9] %o is %s, for good: %s', (error, code, permanent) => {
    expect(failureOf(error)).toMatchObject({ code, permanent });
  });
  test('[G9] what is told to a seller says nothing of our network', () => {
    const { message } = failureOf({ kind: 'ForbiddenAddress', host: 'db.local', address: '10.0.0.7' });
    expect(message).not.toMatch(/10\.0|db\.local/);
  });
});

describe('memory', () => {
  const settings = { readyMs: 100, failedMs: 10 };
  const ready: PhotoOutcome = {
    kind: 'ready',
    imageId: 'a'.repeat(64) as BlobHash,
    width: 1,
    height: 1,
    sizes: [],
  };
  const failed = (permanent: boolean): PhotoOutcome => ({
    kind: 'failed',
    code: 'refused',
    message: '',
    permanent,
  });
  test.each([
    ['a picture', ready, 99, true],
    ['a picture', ready, 100, false],
    ['a picture from the future', ready, -1, false],
    ['a failure for good', failed(true), 9, true],
    ['a failure for good', failed(true), 10, false],
    ['a failure in passing', failed(false), 0, false],
  ] as const)('[G9] %s (%o) is fresh after %i ms: %s', (_name, outcome, ageMs, fresh) => {
    expect(isFresh({ url: 'u', outcome, fetchedAtMs: 1_000 }, 1_000 + ageMs, settings)).toBe(fresh);
  });
  test('[G9] what would never be fresh is not remembered', () => {
    expect(
      [ready, failed(true), failed(false)].map((outcome) =>
        isWorthRemembering({ url: 'u', outcome }, settings),
      ),
    ).toEqual([true, true, false]);
  });
  test('[G9] keys are short and stable', () => {
    expect(memoryKey(`http://a.example/${'x'.repeat(5_000)}`)).toHaveLength(16);
    expect(memoryKey('http://a.example/1.jpg')).toBe('295a98b1c1b64d52');
  });
});
