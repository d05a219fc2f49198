import { describe, expect, test } from 'vitest';
import { isTransientDownload, type DownloadError } from '../ports/downloader.port.ts';
import { downloaderContract } from './downloader.contract.ts';
import { inMemoryDownloader, memoryWeb } from './in-memory-downloader.ts';

downloaderContract('memory', {
  open: async () => {
    const web = memoryWeb({ 'http://localhost/secret': { body: Uint8Array.of(1) } });
    return {
      downloader: inMemoryDownloader(web),
      serve: async (pages) => {
        for (const [path, page] of Object.entries(pages)) web.pages.set(`http://shop.example${path}`, page);
        return 'http://shop.example';
      },
      forbiddenUrl: 'http://localhost/secret',
      close: async () => {},
    };
  },
});

describe('transient errors', () => {
  const cases: readonly [DownloadError, boolean][] = [
    [{ kind: 'Unavailable', what: 'download', retryable: true }, true],
    [{ kind: 'Unavailable', what: 'certificate', retryable: false }, false],
    [{ kind: 'UnknownHost', host: 'shop.example' }, true],
    [{ kind: 'DownloadTimedOut', phase: 'idle', limitMs: 1 }, true],
    [{ kind: 'HttpStatus', status: 503 }, true],
    [{ kind: 'HttpStatus', status: 429 }, true],
    [{ kind: 'HttpStatus', status: 404 }, false],
    [{ kind: 'HttpStatus', status: 501 }, false],
    [{ kind: 'BadUrl', url: '', reason: 'empty' }, false],
    [{ kind: 'ForbiddenAddress', host: 'a', address: '10.0.0.1' }, false],
    [{ kind: 'DownloadTooLarge', bytesMax: 1, of: 'body' }, false],
    [{ kind: 'TooManyRedirects', redirectsMax: 1 }, false],
    [{ kind: 'BadResponse', reason: 'no HTTP' }, false],
  ];
  test.each(cases)('[P2] %o: %s', (error, transient) => {
    expect(isTransientDownload(error)).toBe(transient);
  });
});
