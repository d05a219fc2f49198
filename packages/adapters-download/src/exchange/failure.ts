import { DownloadInterrupted, unavailable, type DownloadError } from '@doska/core/kernel';

const codeOf = (cause: unknown): string =>
  typeof cause === 'object' && cause !== null && 'code' in cause ? String(cause.code) : '';
/** Certificate errors. A retry does not help. */
const UNTRUSTED = /^(CERT_|UNABLE_TO_|DEPTH_ZERO_|SELF_SIGNED_|ERR_TLS_|ERR_SSL_|HOSTNAME_MISMATCH)/;
/** Malformed HTTP, or content that does not match its encoding header. */
const BROKEN = /^(HPE_|Z_|ERR__ERROR_|ERR_PADDING_|ERR_BROTLI)/;

/** The only place in this package that turns an exception of Node into a value. */
export const failureOf = (
  cause: unknown,
  { signal, host }: { readonly signal: AbortSignal; readonly host: string },
): DownloadError => {
  const interrupted: unknown = signal.aborted ? signal.reason : cause;
  if (interrupted instanceof DownloadInterrupted) return interrupted.error;
  const code = codeOf(cause);
  if (code === 'ENOTFOUND' || code === 'ENODATA') return { kind: 'UnknownHost', host };
  if (BROKEN.test(code)) return { kind: 'BadResponse', reason: code };
  return unavailable(`download from ${host}`, cause, !UNTRUSTED.test(code) && !(cause instanceof TypeError));
};
