import type { Measured } from '../harness.ts';
import { pgbench } from '../pgbench.ts';
import { RUN_SECONDS } from './save.ts';
import { CLIENTS } from './save-limit.ts';
import type { BenchStores } from './product.ts';
import { someId, someSeller, type Stock } from './stock.ts';

/** The same rows, a point select a round trip. */
export const limitOfReads = async (url: string, { first, count }: Stock): Promise<Measured> => {
  const script = `\\set id random(${first}, ${first + count - 1})
select id, kind, body from gost.offer where id = :id;
`;
  return { value: (await pgbench(url, script, { clients: CLIENTS, seconds: RUN_SECONDS })).perSecond };
};

const rateOf = async (callers: number, work: () => Promise<void>): Promise<Measured> => {
  const startedMs = performance.now();
  let done = 0;
  const caller = async (): Promise<void> => {
    while (performance.now() - startedMs < RUN_SECONDS * 1_000) {
      await work();
      done++;
    }
  };
  await Promise.all(Array.from({ length: callers }, caller));
  return { value: done / ((performance.now() - startedMs) / 1_000) };
};

/** 64 callers, an offer each, as the domain has it. */
export const readById = ({ gost }: BenchStores, stock: Stock): Promise<Measured> => {
  return rateOf(64, async () => {
    const id = someId(stock);
    const [found] = (await gost.useCases.findOffers([id]))._unsafeUnwrap();
    if (found?.offer.id !== id) throw new Error(`asked for ${id}, got ${found?.offer.id}`);
  });
};

const PAGE = 20;
/** 16 callers, the first page of a seller's list each, with its offers. */
export const readPages = ({ gost }: BenchStores, stock: Stock): Promise<Measured> => {
  return rateOf(16, async () => {
    const list = { seller: someSeller(stock), preset: 'active', pageSize: PAGE } as const;
    const { offers } = (await gost.useCases.listCabinet(list))._unsafeUnwrap();
    if (offers.length !== PAGE) throw new Error(`a page of ${offers.length} offers`);
  });
};
