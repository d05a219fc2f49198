type Owner = Record<string, unknown>;
type Banned = { readonly owner: Owner; readonly key: string };

const banned = (owner: unknown, ...keys: readonly string[]): Banned[] =>
  keys.map((key) => ({ owner: owner as Owner, key }));

/** `Date` itself is last: the others are looked up on the real one. */
const BANNED: readonly Banned[] = [
  ...banned(Date, 'now'),
  ...banned(Math, 'random'),
  ...banned(globalThis, 'setTimeout', 'setInterval', 'setImmediate', 'fetch', 'MessageChannel'),
  ...banned(globalThis.performance, 'now'),
  ...banned(globalThis.crypto, 'randomUUID', 'getRandomValues'),
  ...banned(process, 'nextTick', 'hrtime', 'uptime', 'emitWarning'),
  ...banned(AbortSignal, 'timeout'),
  ...banned(globalThis, 'Date'),
];
const RealDate = Date;

/** `new Date(ms)` is arithmetic and stays; only the ones that read the clock are traps. */
const trappedDate = (caught: (what: string) => never): DateConstructor =>
  new Proxy(RealDate, {
    construct: (target, args: unknown[]) =>
      args.length > 0 ? (Reflect.construct(target, args) as object) : caught('new Date()'),
    apply: () => caught('Date()'),
  });

/**
 * While a world runs, any use of real time, randomness or timers fails the run and is reported with its stack.
 * Reported before it is thrown: a swallowed exception hides nothing. Returns the function that takes the traps down.
 */
export const setTraps = (report: (what: string) => void): (() => void) => {
  const caught = (what: string): never => {
    const error = new Error(`nondeterminism: ${what} used inside the simulation`);
    report(error.stack ?? error.message);
    throw error;
  };
  const trapFor = (key: string): unknown => {
    if (key === 'Date') return trappedDate(caught);
    // Node says its warnings (many listeners on one signal, say) in a tick of its own: inside a run they are dropped.
    if (key === 'emitWarning') return () => {};
    return Object.assign(() => caught(`${key}()`), { bigint: () => caught(`${key}.bigint()`) });
  };
  const before = BANNED.map(({ owner, key }) => Object.getOwnPropertyDescriptor(owner, key));
  for (const { owner, key } of BANNED) {
    Object.defineProperty(owner, key, { value: trapFor(key), configurable: true, writable: true });
  }
  return () =>
    BANNED.forEach(({ owner, key }, i) => {
      const descriptor = before[i];
      if (descriptor) Object.defineProperty(owner, key, descriptor);
      else delete owner[key];
    });
};
