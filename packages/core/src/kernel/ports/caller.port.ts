import { err, ok, type Result, type ResultAsync } from 'neverthrow';

/** One role of a caller. `allows` checks the role's name only; use cases check the id or prefix. */
export type Role =
  | { readonly name: 'service' }
  | { readonly name: 'operator' }
  | { readonly name: 'seller'; readonly id: string }
  | { readonly name: 'anonymous'; readonly id: string }
  | { readonly name: 'publisher'; readonly prefix: string };
export type RoleName = Role['name'];
export type Caller = { readonly subject: string; readonly roles: readonly Role[] };

/** The caller of a request without a token. */
export const unauthenticatedCaller: Caller = { subject: 'nobody', roles: [] };

/** Who may call a method. A server refuses to start with a method that declares neither. */
export type Access =
  { readonly roles: readonly RoleName[] } | { readonly public: { readonly ratePerMinute: number } };

export type Unauthenticated = { readonly kind: 'Unauthenticated'; readonly reason: string };
export type PermissionDenied = { readonly kind: 'PermissionDenied'; readonly needs: readonly RoleName[] };
export type TooManyRequests = { readonly kind: 'TooManyRequests'; readonly retryAfterMs: number };

/** Turns a token into a caller. */
export interface Authenticator {
  /** The reason of a refusal is shown to the caller and never contains the token. */
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
  // An empty prefix would allow every name. The role `service` exists for that.
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

/** Checks whether the declaration allows the caller. One matching role is enough. No role implies another. */
export const allows = (access: Access, caller: Caller): Result<void, PermissionDenied> => {
  if ('public' in access || caller.roles.some(({ name }) => access.roles.includes(name))) return ok();
  return err({ kind: 'PermissionDenied', needs: access.roles });
};

/** Services and operators have no rate limit. */
export const isRateLimited = (caller: Caller): boolean =>
  !caller.roles.some(({ name }) => name === 'service' || name === 'operator');

export const isSeller = (caller: Caller, id: string): boolean =>
  caller.roles.some((role) => role.name === 'seller' && role.id === id);

/** Whether the caller may publish under this name. A prefix covers whole segments: `offers` covers `offers/a`, not `offers2`. */
export const mayPublish = (caller: Caller, name: string): boolean =>
  caller.roles.some((role) => {
    if (role.name !== 'publisher') return false;
    const folder = role.prefix.endsWith('/') ? role.prefix : `${role.prefix}/`;
    return name === role.prefix || name.startsWith(folder);
  });
