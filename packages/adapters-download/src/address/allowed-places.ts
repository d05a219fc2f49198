import { BlockList, isIP } from 'node:net';
import { invalidInput, type InvalidInput, type Violation } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

/** Hosts and networks that are allowed although they are not public, for example a picture server in your network. */
export type AllowedPlaces = {
  /** Allows a host name, whatever address it resolves to. */
  readonly host: (name: string) => boolean;
  readonly address: (address: string) => boolean;
};
export const nowhere: AllowedPlaces = { host: () => false, address: () => false };

const HOST = /^(?=.{1,253}$)[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?(\.[a-z0-9_]([a-z0-9_-]*[a-z0-9_])?)*$/;

/** Entries are host names, addresses, or networks such as `10.0.0.0/8`. Every wrong entry is reported. */
export const allowedPlaces = (entries: readonly string[]): Result<AllowedPlaces, InvalidInput> => {
  const hosts = new Set<string>();
  const networks = new BlockList();
  const violations: Violation[] = [];
  for (const [index, entry] of entries.entries()) {
    const [network = '', prefix] = entry.split('/');
    const version = isIP(network);
    const bits = version === 4 ? 32 : 128;
    const isPrefix = prefix === undefined || (/^\d{1,3}$/.test(prefix) && Number(prefix) <= bits);
    if (version !== 0 && isPrefix && !network.includes('%'))
      networks.addSubnet(network, Number(prefix ?? bits), version === 4 ? 'ipv4' : 'ipv6');
    else if (version === 0 && HOST.test(entry.toLowerCase()) && !/^[\d.]+$/.test(entry))
      hosts.add(entry.toLowerCase());
    else
      violations.push({
        path: `[${index}]`,
        code: 'InvalidPlace',
        message: `"${entry}" is not a host name, an address or a network`,
      });
  }
  if (violations.length > 0) return err(invalidInput(...violations));
  return ok({
    host: (name) => hosts.has(name.toLowerCase()),
    address: (address) => {
      const version = isIP(address);
      return (
        version !== 0 && !address.includes('%') && networks.check(address, version === 4 ? 'ipv4' : 'ipv6')
      );
    },
  });
};
