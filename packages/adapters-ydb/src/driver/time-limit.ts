import type { Clock } from '@doska/core/kernel';
import { CallTimedOut } from './status.ts';

/** The outcome of the call, or `CallTimedOut`. The call itself goes on. */
export const timeLimit =
  (clock: Clock, ms: number) =>
  <T>(call: Promise<T>): Promise<T> =>
    new Promise((resolve, reject) => {
      const cancel = clock.after(ms, () => reject(new CallTimedOut(ms)));
      call.then(resolve, reject).finally(cancel);
    });
