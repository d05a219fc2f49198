import type { Access } from '@doska/core/kernel';
import { ok, okAsync } from 'neverthrow';
import { rpcService, type RpcService, type ServiceRegistration } from '@doska/adapters-rpc';
import { Echo, operatorsOnly } from './echo.ts';

export type EchoHandlers = ServiceRegistration<typeof Echo>['handlers'];
export const echoHandlers: EchoHandlers = {
  say: ({ text }) => okAsync({ text }),
  count: async function* ({ n }) {
    for (let i = 0; i < n; i += 1) yield ok({ n: i });
  },
  sum: async (numbers) => {
    let n = 0;
    for await (const number of numbers) n += number.n;
    return ok({ n });
  },
  chat: async function* (says) {
    for await (const { text } of says) yield ok({ text: text.toUpperCase() });
  },
};

/** The echo, with some of its handlers and declarations changed. */
export const echo = (
  changed: Partial<EchoHandlers> = {},
  access: Partial<Record<keyof EchoHandlers, Access>> = {},
  errors = {},
): RpcService =>
  rpcService({
    definition: Echo,
    handlers: { ...echoHandlers, ...changed },
    access: { ...operatorsOnly, ...access },
    errors,
  });

export async function* numbers(upTo: number): AsyncIterable<{ n: number }> {
  for (let n = 1; n <= upTo; n += 1) yield { n };
}
export const collect = async <T>(results: AsyncIterable<T>): Promise<T[]> => {
  const all: T[] = [];
  for await (const result of results) all.push(result);
  return all;
};
