import { err, ok, type Result, type ResultAsync } from 'neverthrow';

/** What a caller is. Ids and prefixes say whose data: `allows` looks at the name only, a use case at the rest. */
export type Role =
  | { readonly name: 'service' }
  | { readonly name: 'operator' }
  | { readonly name: 'seller'; readonly id: string }
  | { readonly name: 'anonymous'; readonly id: string }
  | { readonly name: 'publisher'; readonly prefix: string };
export type RoleName = Role['name'];
export type Caller = { readonly subject: string; readonly roles: readonly Role[] };

/** No token was shown. */
export const nobody: Caller = { subject: 'nobody', roles: [] };

/** Who may call a method. There is no third form: a method that says neither is not served. */
export type Access =
  { readonly roles: readonly RoleName[] } | { readonly public: { readonly ratePerMinute: number } };

export type Unauthenticated = { readonly kind: 'Unauthenticated'; readonly reason: string };
export type PermissionDenied = { readonly kind: 'PermissionDenied'; readonly needs: readonly RoleName[] };
export type TooManyRequests = { readonly kind: 'TooManyRequests'; readonly retryAfterMs: number };

/** Tells who shows a token. */
export interface Authenticator {
  /** The reason of a refusal is for the caller's eyes: it never repeats the token. */
  authenticate(bearer: string): ResultAsync<Caller, Unauthenticated>;
}

export type InvalidRole = { readonly kind: 'InvalidRole'; readonly text: string };

/** `service`, `operator`, `seller:<id>`, `anonymous:<id>`, `publisher:<name prefix>`; the reverse of `formatRole`. */
export const parseRole = (text: string): Result<Role, InvalidRole> => {
  const colon = text.indexOf(':');
  const name = colon < 0 ? text : text.slice(0, colon);
  const rest = colon < 0 ? undefined : text.slice(colon + 1);
  if ((name === 'service' || name === 'operator') && rest === undefined) return ok({ name });
  if ((name === 'seller' || name === 'anonymous') && rest) return ok({ name, id: rest });
  // An empty prefix would be a publisher of everything: that must be written as `service`.
  if (name === 'publisher' && rest) return ok({ name, prefix: rest });
  return err({ kind: 'InvalidRole', text });
};

export const formatRole = (role: Role): string => {
  switch (role.name) {
    case 'service':
    case 'operator':
      return role.name;
    case 'seller':
    case 'anonymous':
      return `${role.name}:${role.id}`;
    case 'publisher':
      return `publisher:${role.prefix}`;
  }
};

/** Whether the declaration lets this caller in: any one of the roles is enough, none implies another. */
export const allows = (access: Access, caller: Caller): Result<void, PermissionDenied> => {
  if ('public' in access || caller.roles.some(({ name }) => access.roles.includes(name))) return ok();
  return err({ kind: 'PermissionDenied', needs: access.roles });
};

/** Requests of our own services and people are not counted against the address they come from. */
export const isRateLimited = (caller: Caller): boolean =>
  !caller.roles.some(({ name }) => name === 'service' || name === 'operator');

export const isSeller = (caller: Caller, id: string): boolean =>
  caller.roles.some((role) => role.name === 'seller' && role.id === id);

/** Whether the caller may publish under this name. */
export const mayPublish = (caller: Caller, name: string): boolean =>
  caller.roles.some((role) => role.name === 'publisher' && name.startsWith(role.prefix));
