import type { Metadata } from '@grpc/grpc-js';
import { Ydb } from 'ydb-sdk-proto';
import { YqlError } from '../yql-error.ts';
import { method, type Method } from './method.ts';

const TICKET = 'x-ydb-auth-ticket';
export const LOGIN = 'Login';

/** Users with passwords, and the tokens that are accepted now. */
export class Accounts {
  readonly tokens = new Set<string>();
  readonly passwords = new Map<string, string>();
  /** How long a token that a login gives says it is valid, in seconds. */
  tokenSeconds = 3_600;
  #given = 0;
  constructor(readonly needsToken: boolean) {}

  lets(metadata: Metadata): boolean {
    return !this.needsToken || metadata.get(TICKET).some((token) => this.tokens.has(String(token)));
  }
  login(user: string, password: string): string {
    if (this.passwords.get(user) !== password) throw new YqlError('UNAUTHORIZED', 'Invalid password');
    const issuedAt = Math.floor(Date.now() / 1_000);
    const payload = { sub: user, iat: issuedAt, exp: issuedAt + this.tokenSeconds, n: ++this.#given };
    const token = ['e30', Buffer.from(JSON.stringify(payload)).toString('base64url'), 'c2ln'].join('.');
    this.tokens.add(token);
    return token;
  }
}
export const authMethods = (accounts: Accounts): readonly Method[] => [
  method(
    `/Ydb.Auth.V1.AuthService/${LOGIN}`,
    Ydb.Auth.LoginRequest,
    Ydb.Auth.LoginResponse,
    ({ user, password }, refuse) => {
      refuse();
      return Ydb.Auth.LoginResult.encode({ token: accounts.login(user, password) }).finish();
    },
  ),
];
