import type { Unavailable } from '@doska/core/kernel';
import type { Admin } from 'kafkajs';
import type { ResultAsync } from 'neverthrow';
import { guard, typesOf } from './guard.ts';

type Held = { readonly admin: Admin; readonly connected: Promise<void>; users: number; doomed: boolean };

/** One admin connection for all requests, opened at the first one. A failed connection is replaced when no request uses it. */
export class AdminClient {
  readonly #make: () => Admin;
  readonly #leaving = new Set<Promise<void>>();
  #held: Held | undefined;

  constructor(make: () => Admin) {
    this.#make = make;
  }

  ask<T>(what: string, question: (admin: Admin) => Promise<T>): ResultAsync<T, Unavailable> {
    return guard(what, async () => {
      const isFresh = this.#held === undefined;
      try {
        return await this.#put(question);
      } catch (cause) {
        // kafkajs requests metadata of every topic it ever saw. A deleted topic makes all these requests fail.
        if (isFresh || !typesOf(cause).includes('UNKNOWN_TOPIC_OR_PARTITION')) throw cause;
        return await this.#put(question);
      }
    });
  }

  async close(): Promise<void> {
    const held = this.#held;
    this.#held = undefined;
    if (held) this.#leave(held);
    await Promise.all(this.#leaving);
  }

  async #put<T>(question: (admin: Admin) => Promise<T>): Promise<T> {
    const held = this.#hold();
    held.users++;
    try {
      await held.connected;
      return await question(held.admin);
    } catch (cause) {
      held.doomed = true;
      if (this.#held === held) this.#held = undefined;
      throw cause;
    } finally {
      held.users--;
      if (held.doomed && held.users === 0) this.#leave(held);
    }
  }
  #hold(): Held {
    if (this.#held) return this.#held;
    const admin = this.#make();
    const connected = admin.connect();
    connected.catch(() => {}); // each request reports the failure itself
    return (this.#held = { admin, connected, users: 0, doomed: false });
  }
  #leave({ admin }: Held): void {
    const left = admin.disconnect().catch(() => {});
    this.#leaving.add(left);
    void left.finally(() => this.#leaving.delete(left));
  }
}
