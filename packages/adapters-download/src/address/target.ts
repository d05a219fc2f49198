import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { BadUrl, ForbiddenAddress, UnknownHost } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import type { AllowedPlaces } from './allowed-places.ts';
import { isPublicAddress } from './public-address.ts';

/** Returns the addresses of a host. For an unknown host it returns none or throws with the resolver's code. */
export type Resolve = (host: string) => Promise<readonly string[]>;
/** Resolves like the operating system does, including `/etc/hosts`. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** A URL with its checked addresses. Connections go only to these addresses. */
export type Target = {
  readonly url: URL;
  readonly host: string;
  readonly port: number;
  readonly addresses: readonly string[];
};
export type Guard = {
  readonly resolve: Resolve;
  readonly allowed: AllowedPlaces;
  /** Undefined: every port. */
  readonly ports: ReadonlySet<number> | undefined;
};

const URL_SHOWN_MAX = 200;
const bad = (url: string, reason: string): Result<never, BadUrl> =>
  err({ kind: 'BadUrl', url: url.slice(0, URL_SHOWN_MAX), reason });

export const checkUrl = (text: string, base?: URL): Result<URL, BadUrl> => {
  if (!URL.canParse(text, base?.href)) return bad(text, 'not a URL');
  const url = new URL(text, base);
  if (url.protocol !== 'http:' && url.protocol !== 'https:') return bad(url.href, 'neither http nor https');
  // The error is logged, so it must not contain user and password.
  if (url.username !== '' || url.password !== '')
    return bad(`${url.protocol}//${url.host}${url.pathname}`, 'a user or password in it');
  url.hash = '';
  return ok(url);
};

/**
 * Resolves the name once. If one of its addresses is not public, the host is refused, because the owner of the name could
 * influence which address a connection takes.
 */
export const locate = async (
  url: URL,
  { resolve, allowed, ports }: Guard,
): Promise<Result<Target, BadUrl | ForbiddenAddress | UnknownHost>> => {
  const host = url.hostname.replace(/^\[(.*)\]$/, '$1');
  const port = url.port === '' ? (url.protocol === 'https:' ? 443 : 80) : Number(url.port);
  const addresses = isIP(host) === 0 ? await resolve(host) : [host];
  if (addresses.length === 0) return err({ kind: 'UnknownHost', host });
  const target = { url, host, port, addresses };
  if (allowed.host(host) || addresses.every(allowed.address)) return ok(target);
  const forbidden = addresses.find((address) => !isPublicAddress(address) && !allowed.address(address));
  if (forbidden !== undefined) return err({ kind: 'ForbiddenAddress', host, address: forbidden });
  if (ports && !ports.has(port)) return bad(url.href, `port ${port} is not allowed`);
  return ok(target);
};
