/** The eight groups of an IPv6 address, or undefined if it is none. */
const ipv6Groups = (address: string): readonly string[] | undefined => {
  const [head = '', tail, ...more] = address.split('::');
  if (more.length > 0) return undefined;
  const left = head === '' ? [] : head.split(':');
  const right = tail === undefined || tail === '' ? [] : tail.split(':');
  const missing = 8 - left.length - right.length;
  if (tail === undefined ? missing !== 0 : missing < 1) return undefined;
  const groups = [...left, ...Array.from({ length: missing }, () => '0'), ...right];
  if (!groups.every((group) => /^[0-9a-f]{1,4}$/i.test(group))) return undefined;
  return groups.map((group) => group.toLowerCase().replace(/^0+(?=.)/, ''));
};

/**
 * The key that requests of one customer share: an IPv4 address, or the /64 that an IPv6 customer can choose
 * addresses from at will. Text that is no address stays as it is.
 */
export const addressGroup = (address: string): string => {
  const bare = address.replace(/^\[(.*)\]$/, '$1').replace(/%.*$/, '');
  const mapped = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(bare);
  if (mapped?.[1]) return mapped[1];
  const groups = bare.includes(':') ? ipv6Groups(bare) : undefined;
  return groups ? `${groups.slice(0, 4).join(':')}::/64` : bare;
};

type Seen = {
  /** The other end of the socket. */
  readonly peer: string;
  /** `x-forwarded-for` as it came: whoever wrote it, only its last entries are by proxies of ours. */
  readonly forwardedFor?: string | undefined;
  /** How many proxies of ours stand before us, each appending the address it saw. */
  readonly trustedProxies: number;
};

/** The address of the client: never taken from what the client itself wrote. */
export const clientAddress = ({ peer, forwardedFor, trustedProxies }: Seen): string => {
  if (trustedProxies === 0) return peer;
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), peer].filter(
    (hop) => hop !== '',
  );
  return hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? peer;
};
