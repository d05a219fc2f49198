import type { DownloadError } from '../../kernel/index.ts';

/** When a host that does not answer is left alone, and for how long. */
export type HostPatience = {
  /** Failures of a host, one after another, after which it is not asked for `pauseMs`. */
  readonly failuresMax: number;
  readonly pauseMs: number;
};
export type HostHealth = { readonly failures: number; readonly lastFailureMs: number };

/** The host gave no answer. A status that it sent, even an error, is an answer. */
export const isSilence = ({ kind }: DownloadError): boolean =>
  kind === 'DownloadTimedOut' || kind === 'UnknownHost' || kind === 'Unavailable';

/** After the pause one attempt is made again; if it fails, the next pause begins. */
export const isLeftAlone = (
  health: HostHealth | undefined,
  nowMs: number,
  { failuresMax, pauseMs }: HostPatience,
): boolean =>
  health !== undefined && health.failures >= failuresMax && nowMs < health.lastFailureMs + pauseMs;

/** Undefined for what is no URL: then there is no host to spare. */
export const hostOf = (url: string): string | undefined =>
  URL.canParse(url) ? new URL(url).host : undefined;
