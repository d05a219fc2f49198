import { expect, test } from 'vitest';
import { allowedPlaces } from './allowed-places.ts';
import { locate } from './target.ts';

const allowed = allowedPlaces(['10.0.0.1/32'])._unsafeUnwrap();
const locateWith = (...addresses: readonly string[]) =>
  locate(new URL('http://seller.example/photo.jpg'), {
    resolve: async () => addresses,
    allowed,
    ports: undefined,
  });

test.each([
  [['10.0.0.1', '10.0.0.2'], '10.0.0.2'],
  [['10.0.0.2', '10.0.0.1'], '10.0.0.2'],
  [['93.184.216.34', '127.0.0.1'], '127.0.0.1'],
  [['10.0.0.1', '93.184.216.34', '::1'], '::1'],
])('[X14] a host name that resolves to %s is refused because of %s', async (addresses, address) => {
  expect((await locateWith(...addresses))._unsafeUnwrapErr()).toEqual({
    kind: 'ForbiddenAddress',
    host: 'seller.example',
    address,
  });
});
test.each([[['10.0.0.1']], [['93.184.216.34']], [['10.0.0.1', '93.184.216.34']]])(
  '[X14] a host name whose addresses %s are all allowed or public is accepted',
  async (addresses) => {
    expect((await locateWith(...addresses))._unsafeUnwrap().addresses).toEqual(addresses);
  },
);
