import fc from 'fast-check';
import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import {
  allows,
  formatRole,
  isSeller,
  mayPublish,
  unauthenticatedCaller,
  parseRole,
  type Caller,
  type Role,
} from './caller.port.ts';

const text = fc.string({ minLength: 1 });
const anyRole: fc.Arbitrary<Role> = fc.oneof(
  fc.constantFrom<Role>({ name: 'service' }, { name: 'operator' }),
  fc.record({ name: fc.constantFrom('seller' as const, 'anonymous' as const), id: text }),
  fc.record({ name: fc.constant('publisher' as const), prefix: text }),
);
const caller = (...roles: Role[]): Caller => ({ subject: 'x', roles });

test('[B17] a role comes back from its text', () => {
  fc.assert(
    fc.property(anyRole, (role) => {
      expect(parseRole(formatRole(role))).toEqual(ok(role));
    }),
    { numRuns: 1000 },
  );
});

test.each(['', 'admin', 'seller', 'seller:', 'publisher:', 'service:1', 'Operator', ' operator'])(
  '[B17] «%s» is not a role',
  (wrong) => expect(parseRole(wrong)).toEqual(err({ kind: 'InvalidRole', text: wrong })),
);

test('[B17] one matching role is enough, and no role implies another', () => {
  const access = { roles: ['operator', 'seller'] as const };
  expect(allows(access, caller({ name: 'seller', id: '1' })).isOk()).toBe(true);
  const denied = err({ kind: 'PermissionDenied', needs: access.roles });
  expect(allows(access, caller({ name: 'service' }))).toEqual(denied);
  expect(allows(access, unauthenticatedCaller)).toEqual(denied);
});

test('[B17] a public method admits a caller without a token', () => {
  expect(allows({ public: { ratePerMinute: 1 } }, unauthenticatedCaller).isOk()).toBe(true);
});

test('[B17] an empty list of roles admits no caller', () => {
  fc.assert(fc.property(fc.array(anyRole), (roles) => allows({ roles: [] }, caller(...roles)).isErr()));
});

test('[B17] a seller role covers only that seller, a publisher role only its prefix', () => {
  expect(isSeller(caller({ name: 'seller', id: '1' }), '1')).toBe(true);
  expect(isSeller(caller({ name: 'seller', id: '1' }), '12')).toBe(false);
  expect(isSeller(caller({ name: 'anonymous', id: '1' }), '1')).toBe(false);
  expect(mayPublish(caller({ name: 'publisher', prefix: 'auto/' }), 'auto/cars')).toBe(true);
  expect(mayPublish(caller({ name: 'publisher', prefix: 'auto/' }), 'auto')).toBe(false);
});

test.each([
  ['offers', 'offers', true],
  ['offers', 'offers/cards', true],
  ['offers', 'offers2', false],
  ['offers/cards', 'offers', false],
])('[V1] a publisher of %s may publish %s: %s', (prefix, name, may) => {
  expect(mayPublish(caller({ name: 'publisher', prefix }), name)).toBe(may);
});
