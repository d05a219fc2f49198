import { makeRecent, type Clock, type DownloadError } from '../../kernel/index.ts';
import { hostOf, isLeftAlone, isSilence, type HostHealth, type HostPatience } from '../domain/host-health.ts';

/** Hosts that did not answer lately. One of them must not keep the pictures of others waiting. */
export interface SilentHosts {
  /** The host of this address is not asked now. */
  isLeftAlone(url: string): boolean;
  /** What became of an attempt. Undefined: the host answered. */
  note(url: string, error: DownloadError | undefined): void;
}
const HOSTS_MAX = 10_000;

export const makeSilentHosts = (clock: Clock, patience: HostPatience): SilentHosts => {
  const hosts = makeRecent<string, HostHealth>({ weightMax: HOSTS_MAX, weightOf: () => 1 });
  const healthOf = (host: string | undefined): HostHealth | undefined =>
    host === undefined ? undefined : hosts.get(host);
  return {
    isLeftAlone: (url) => isLeftAlone(healthOf(hostOf(url)), clock.nowMs(), patience),
    note: (url, error) => {
      const host = hostOf(url);
      if (host === undefined) return;
      if (!error || !isSilence(error)) hosts.forget(host);
      else hosts.put(host, { failures: (hosts.get(host)?.failures ?? 0) + 1, lastFailureMs: clock.nowMs() });
    },
  };
};
