import { BlockList, isIP } from 'node:net';

type Subnet = readonly [network: string, prefix: number];
const subnets = (family: 'ipv4' | 'ipv6', list: readonly Subnet[]): BlockList => {
  const blocks = new BlockList();
  for (const [network, prefix] of list) blocks.addSubnet(network, prefix, family);
  return blocks;
};

/** IANA's special-purpose addresses that are not ordinary public servers. */
const SPECIAL_4 = subnets('ipv4', [
  ['0.0.0.0', 8], // this network
  ['10.0.0.0', 8], // private
  ['100.64.0.0', 10], // shared by carriers (CGNAT)
  ['127.0.0.0', 8], // loopback
  ['169.254.0.0', 16], // link-local: the metadata services of clouds
  ['172.16.0.0', 12], // private
  ['192.0.0.0', 24], // protocol assignments
  ['192.0.2.0', 24], // documentation
  ['192.88.99.0', 24], // 6to4 relays
  ['192.168.0.0', 16], // private
  ['198.18.0.0', 15], // benchmarks
  ['198.51.100.0', 24], // documentation
  ['203.0.113.0', 24], // documentation
  ['224.0.0.0', 4], // multicast
  ['240.0.0.0', 4], // reserved, broadcast
]);
/**
 * Only global unicast is public in IPv6. This excludes loopback, unique local, link-local, multicast, future ranges, and
 * the forms that contain an IPv4 address (mapped, compatible, translated, NAT64).
 */
const GLOBAL_6 = subnets('ipv6', [['2000::', 3]]);
const SPECIAL_6 = subnets('ipv6', [
  ['2001::', 23], // protocol assignments: Teredo, benchmarks, ORCHID
  ['2001:db8::', 32], // documentation
  ['2002::', 16], // 6to4: an IPv4 address in disguise
  ['3fff::', 20], // documentation
]);

/** Whether the address is on the public internet. Text that is not an address, or has an interface name, is not public. */
export const isPublicAddress = (address: string): boolean => {
  if (address.includes('%')) return false;
  switch (isIP(address)) {
    case 4:
      return !SPECIAL_4.check(address, 'ipv4');
    case 6:
      return GLOBAL_6.check(address, 'ipv6') && !SPECIAL_6.check(address, 'ipv6');
    default:
      return false;
  }
};
