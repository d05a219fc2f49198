import { isTransientDownload, unreachable, type DownloadError } from '../../kernel/index.ts';
import type { PhotoFailure, PhotoFailureCode } from './photo.ts';

/** The bytes are not a picture in a format that is served. */
export type NotAPicture = { readonly kind: 'NotAPicture' };
export type TooManyPixels = { readonly kind: 'TooManyPixels'; readonly pixelsMax: number };
/** The picture took longer to make smaller than pictures do. */
export type TooComplex = { readonly kind: 'TooComplex' };
export type ImageError = NotAPicture | TooManyPixels | TooComplex;

const ofStatus = (status: number): { readonly code: PhotoFailureCode; readonly message: string } =>
  status === 404 || status === 410
    ? { code: 'not-found', message: 'there is nothing at this address' }
    : { code: 'refused', message: `the server answered with status ${status}` };

const inWords = (
  error: DownloadError | ImageError,
): { readonly code: PhotoFailureCode; readonly message: string } => {
  switch (error.kind) {
    case 'BadUrl':
      return { code: 'bad-url', message: `not an address of a picture: ${error.reason}` };
    case 'ForbiddenAddress':
      // The address is left out: names inside our network stay private.
      return { code: 'forbidden-address', message: 'the address is not on the public internet' };
    case 'UnknownHost':
      return { code: 'unreachable', message: `there is no server ${error.host}` };
    case 'Unavailable':
      return { code: 'unreachable', message: 'the server could not be reached, or broke off' };
    case 'DownloadTimedOut':
      return { code: 'timed-out', message: 'the server took too long' };
    case 'HttpStatus':
      return ofStatus(error.status);
    case 'BadResponse':
      return { code: 'refused', message: 'the server did not answer as a web server does' };
    case 'TooManyRedirects':
      return { code: 'too-many-redirects', message: `more than ${error.redirectsMax} redirects` };
    case 'DownloadTooLarge':
      return { code: 'too-large', message: `more than ${error.bytesMax} bytes` };
    case 'NotAPicture':
      return { code: 'not-a-picture', message: 'neither JPEG, PNG, WebP, GIF nor AVIF' };
    case 'TooManyPixels':
      return { code: 'too-many-pixels', message: `more than ${error.pixelsMax} pixels` };
    case 'TooComplex':
      return { code: 'too-complex', message: 'the picture took too long to make smaller' };
    default:
      return unreachable(error);
  }
};

/** May the same URL succeed soon? What a picture is does not change by asking again. */
export const isTransient = (error: DownloadError | ImageError): boolean =>
  error.kind !== 'NotAPicture' &&
  error.kind !== 'TooManyPixels' &&
  error.kind !== 'TooComplex' &&
  isTransientDownload(error);

export const failureOf = (error: DownloadError | ImageError): PhotoFailure => ({
  ...inWords(error),
  permanent: !isTransient(error),
});
