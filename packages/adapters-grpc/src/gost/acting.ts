import type { OfferCommand, SellerId } from '@doska/core/gost';
import { invalidInput, type Caller, type InvalidInput } from '@doska/core/kernel';
import { err, ok, type Result } from 'neverthrow';

/** The caller named somebody, or something, that is not his. `path` is the field in which he did. */
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

/** On whose behalf a command is given: a seller's only his own, of services and operators anybody's. */
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
  return ok(seller as SellerId);
};
