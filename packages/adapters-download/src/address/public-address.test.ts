import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { isPublicAddress } from './public-address.ts';

describe('public addresses', () => {
  test.each([
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '10.255.255.255',
    '100.64.0.1',
    '100.127.255.255',
    '127.0.0.1',
    '127.255.255.254',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.8',
    '192.0.2.1',
    '192.88.99.1',
    '192.168.1.1',
    '198.18.0.1',
    '198.19.255.255',
    '198.51.100.1',
    '203.0.113.1',
    '224.0.0.1',
    '239.255.255.250',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::127.0.0.1',
    '::ffff:127.0.0.1',
    '::ffff:7f00:1',
    '::ffff:8.8.8.8',
    '::ffff:0:10.0.0.1',
    '64:ff9b::10.0.0.1',
    '64:ff9b::8.8.8.8',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:10::1',
    '2001:20::1',
    '2001:db8::1',
    '2002:7f00:1::',
    '3fff::1',
    '5f00::1',
    'fc00::1',
    'fd12:3456::1',
    'fe80::1',
    'fe80::1%eth0',
    '2a00:1450::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
    '8.8.8',
    '0x7f.1',
    '2130706433',
  ])('[P2] %s is not public', (address) => {
    expect(isPublicAddress(address)).toBe(false);
  });
  test.each([
    '1.1.1.1',
    '8.8.8.8',
    '9.255.255.255',
    '11.0.0.0',
    '100.63.255.255',
    '100.128.0.0',
    '126.255.255.255',
    '128.0.0.0',
    '169.253.255.255',
    '172.15.255.255',
    '172.32.0.0',
    '192.167.255.255',
    '192.169.0.0',
    '223.255.255.255',
    '2001:4860:4860::8888',
    '2a00:1450:4010::1',
    '2606:4700::1111',
  ])('[P2] %s is public', (address) => {
    expect(isPublicAddress(address)).toBe(true);
  });
  test('[P2] no spelling of an IPv4 address within IPv6 is public', () => {
    const hex = (high: number, low: number): string => ((high << 8) | low).toString(16);
    fc.assert(
      fc.property(
        fc.tuple(fc.nat(255), fc.nat(255), fc.nat(255), fc.nat(255)),
        fc.constantFrom('::', '::ffff:', '::ffff:0:', '64:ff9b::'),
        ([a, b, c, d], prefix) => {
          expect(isPublicAddress(`${prefix}${a}.${b}.${c}.${d}`)).toBe(false);
          expect(isPublicAddress(`${prefix}${hex(a, b)}:${hex(c, d)}`)).toBe(false);
          expect(isPublicAddress(`2002:${hex(a, b)}:${hex(c, d)}::1`)).toBe(false);
        },
      ),
      { numRuns: 1000 },
    );
  });
});
