import type { Caller } from '@doska/core/kernel';

type Verified = { readonly caller: Caller; readonly expSec: number; readonly sinceSec: number };

/**
 * Tokens whose signature was checked: a client sends the same one with every call. The oldest gives way to a new one.
 * A token in here is still refused from its end on; long ones are not kept, so that the memory stays bounded.
 */
export class VerifiedTokens {
  private readonly known = new Map<string, Verified>();
  private readonly countMax: number;
  private readonly charsMax: number;
  constructor({ countMax, charsMax }: { readonly countMax: number; readonly charsMax: number }) {
    this.countMax = countMax;
    this.charsMax = charsMax;
  }

  /** `nowSec` minus the tolerance must lie before the end, as for a token that is seen for the first time. */
  callerOf(token: string, nowSec: number, toleranceSec: number): Caller | undefined {
    const found = this.known.get(token);
    if (!found) return undefined;
    // A clock that was set back may lie before the token's beginning: it is checked as a new one.
    if (nowSec >= found.sinceSec && found.expSec > nowSec - toleranceSec) return found.caller;
    this.known.delete(token);
    return undefined;
  }

  keep(token: string, verified: Verified): void {
    if (token.length > this.charsMax) return;
    if (this.known.size >= this.countMax) {
      const [oldest] = this.known.keys();
      if (oldest !== undefined) this.known.delete(oldest);
    }
    this.known.set(token, verified);
  }

  get size(): number {
    return this.known.size;
  }
}
