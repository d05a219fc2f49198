/** There is no token; nothing was sent. */
export class LoginFailed extends Error {
  constructor(cause: unknown) {
    super(`the login to YDB failed: ${cause instanceof Error ? cause.message : String(cause)}`, { cause });
  }
}
