import { lookup } from 'node:dns/promises';
import { isIP } from 'node:net';
import type { BadUrl, ForbiddenAddress, UnknownHost } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';
import type { AllowedPlaces } from './allowed-places.ts';
import { isPublicAddress } from './public-address.ts';

/** A name's addresses; none, or an exception with the resolver's code, when there are none. */
export type Resolve = (host: string) => Promise<readonly string[]>;
/** As the connection itself would resolve it: with `/etc/hosts` and whatever the system knows. */
export const systemResolve: Resolve = async (host) =>
  (await lookup(host, { all: true, verbatim: true })).map(({ address }) => address);

/** A URL together with the addresses that were checked: connections go to these and to no others. */
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
  // Told without what it says of the user: errors are logged.
  if (url.username !== '' || url.password !== '')
    return bad(`${url.protocol}//${url.host}${url.pathname}`, 'a user or password in it');
  url.hash = '';
  return ok(url);
};

/**
 * Resolves the name once. A name with a single address that is not public is refused whole: which of its addresses a
 * connection would take is not for a stranger to play with.
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
