import { sellerIdViolations, type OfferCommand, type SellerId } from '@doska/core/gost';
import { invalidInput, invalidInputOf, type Caller, type InvalidInput } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

/** The caller named a seller or a thing of another seller. `path` is the field. */
export type NotYours = { readonly kind: 'NotYours'; readonly path: string; readonly message: string };
export const notYours = (path: string, message: string): NotYours => ({
  kind: 'NotYours',
  path,
  message: `${path}: ${message}`,
});

export const isTrusted = (caller: Caller): boolean =>
  caller.roles.some(({ name }) => name === 'service' || name === 'operator');
export const isService = (caller: Caller): boolean => caller.roles.some(({ name }) => name === 'service');

const own = (caller: Caller): SellerId | undefined => {
  const role = caller.roles.find(({ name }) => name === 'seller');
  return role?.name === 'seller' ? (role.id as SellerId) : undefined;
};

/** The seller that a command acts for: a seller's own, or any seller for services and operators. */
export type Acting = { readonly by: OfferCommand['by']; readonly seller?: SellerId };
export const actingOf = (caller: Caller): Acting => {
  if (caller.roles.some(({ name }) => name === 'operator')) return { by: 'operator' };
  const seller = own(caller);
  return isTrusted(caller) || seller === undefined ? { by: 'seller' } : { by: 'seller', seller };
};

/** Whose list it is about: services and operators must say it, a seller need not and may not say another. */
export const sellerAsked = (
  caller: Caller,
  named: string,
  path = 'seller_id',
): Result<SellerId, NotYours | InvalidInput> => {
  const seller = isTrusted(caller) ? named : (own(caller) ?? '');
  if (seller === '') return err(invalidInput({ path, code: 'Missing', message: 'say which seller' }));
  if (named !== '' && named !== seller) return err(notYours(path, 'another seller'));
  const violations = sellerIdViolations(seller, path);
  return violations.length > 0 ? err(invalidInputOf(violations)) : ok(seller as SellerId);
};
