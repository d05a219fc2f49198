/** The eight groups of an IPv6 address, or undefined for other text. */
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
 * The rate-limit key of an address: an IPv4 address itself, or the /64 of an IPv6 address, because one customer can use
 * all addresses of a /64. Other text is returned unchanged.
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
  /** The raw `x-forwarded-for`. Only its last entries come from our proxies; clients can write the others. */
  readonly forwardedFor?: string | undefined;
  /** The number of our proxies in front of this server. Each appends the address it saw. */
  readonly trustedProxies: number;
};

/** The client's address. It never trusts an entry that the client can write. */
export const clientAddress = ({ peer, forwardedFor, trustedProxies }: Seen): string => {
  if (trustedProxies === 0) return peer;
  const hops = [...(forwardedFor ?? '').split(',').map((hop) => hop.trim()), peer].filter(
    (hop) => hop !== '',
  );
  return hops[Math.max(0, hops.length - 1 - trustedProxies)] ?? peer;
};
