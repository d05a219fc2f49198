import { describe, expect, test } from 'vitest';
import { allowedPlaces } from './allowed-places.ts';

describe('allowed places', () => {
  const places = allowedPlaces([
    'Photos.Local',
    '127.0.0.1',
    '10.1.0.0/16',
    '::1',
    'fd00::/8',
  ])._unsafeUnwrap();
  test.each([
    ['127.0.0.1', true],
    ['127.0.0.2', false],
    ['10.1.255.1', true],
    ['10.2.0.1', false],
    ['::1', true],
    ['::2', false],
    ['fd00::1', true],
    ['fe00::1', false],
    ['photos.local', false],
    ['', false],
  ])('[P2] the address %s: %s', (address, allowed) => {
    expect(places.address(address)).toBe(allowed);
  });
  test.each([
    ['photos.local', true],
    ['PHOTOS.LOCAL', true],
    ['www.photos.local', false],
    ['local', false],
    ['127.0.0.1', false],
  ])('[P2] the host %s: %s', (host, allowed) => {
    expect(places.host(host)).toBe(allowed);
  });
  test('[P2] every wrong entry is reported', () => {
    const wrong = [
      '',
      '10.0.0.0/33',
      '10.0.0/8',
      '::/129',
      'fe80::1%eth0',
      'a b',
      '-a',
      '1.2.3',
      'http://a',
      '10.0.0.0/x',
    ];
    const { violations } = allowedPlaces(['localhost', ...wrong])._unsafeUnwrapErr();
    expect(violations.map(({ path }) => path)).toEqual(wrong.map((_, index) => `[${index + 1}]`));
  });
});
