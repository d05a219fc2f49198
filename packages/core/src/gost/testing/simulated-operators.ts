import { makePageTokens, sleep, type GenericStorage } from '../../kernel/index.ts';
import type { Env } from '../../kernel/testing.ts';
import type { SellerId } from '../domain/offer.ts';
import type { StageName } from '../domain/stage.ts';
import type { GostStores } from '../ports/gost-stores.port.ts';
import { makeEraseSeller } from '../use-cases/erase-seller.ts';
import { makeEraseTraces, type EraseTraces } from '../use-cases/erase-traces.ts';
import { defaultGostSettings } from '../use-cases/settings.ts';
import { makeStages } from '../use-cases/stages.ts';
import type { GostDesk } from './gost-desk.ts';
import { wordOf, type Client } from './simulated-clients.ts';

/** What reaches a process of the scenario. */
type Reach = { readonly stores: GostStores; readonly storage: GenericStorage; readonly env: Env };
/** Never late and never lost: a first put that arrives after an erasure finds nothing to compare with. */
type Prompt = { readonly prompt: GenericStorage };

/** A stage that keeps a word about an offer and moves it on, a version at a time. */
export type Stager = {
  readonly client: Client;
  readonly puts: number;
  /** The last version that somebody answered for, and what was put there. */
  answered: { readonly version: number; readonly state: string } | undefined;
  done: number;
};
export const STAGE = 'classifier' as StageName;
export const stageOn = async (
  stager: Stager,
  { stores, storage, prompt, env }: Reach & Prompt,
): Promise<void> => {
  const over = (kept: GenericStorage) =>
    makeStages({ load: (ids) => stores.offers.load(ids), storage: kept, bytesMax: 1_000 });
  const stages = over(storage);
  const { client } = stager;
  while (stager.done < stager.puts) {
    await sleep(env.clock, 80);
    const { offerId } = client;
    if (offerId === undefined) continue;
    const found = await stages.get({ offerId, stage: STAGE });
    if (found.isErr()) continue;
    const { version: expected } = found.value;
    const state = `v${expected + 1} ${wordOf(client.seller)} ${env.ids.next()}`;
    const put = await (expected === 0 ? over(prompt) : stages).put({
      ...{ offerId, stage: STAGE, expected, state: new TextEncoder().encode(state) },
    });
    if (put.isOk() && put.value > (stager.answered?.version ?? 0))
      stager.answered = { version: put.value, state };
    // Nothing is put for an offer that is removed.
    if (put.isOk() || put.error.kind === 'NotFound') stager.done++;
  }
};

/** An operator who erases a seller, once the seller is locked out. */
export type Eraser = {
  readonly seller: SellerId;
  readonly begins: () => boolean;
  /** The answer was: nothing is left. */
  complete: boolean;
};
const tokens = makePageTokens({
  sign: (text) => `s${text.length}`,
  verify: (text, seal) => seal === `s${text.length}`,
});
export const eraseOn = async (
  eraser: Eraser,
  { stores, storage, env }: Reach,
  { desk, tracesOf }: { readonly desk: GostDesk; readonly tracesOf: (right: EraseTraces) => EraseTraces },
): Promise<void> => {
  const { seller } = eraser;
  const deciding = { clock: env.clock, random: { below: () => 0 }, settings: defaultGostSettings };
  const traces = tracesOf(makeEraseTraces({ ...stores, ...deciding, storage }));
  const needs = { scan: stores.scan, changeOffers: desk.changeOffers, traces, tokens, slice: 2 };
  const erase = makeEraseSeller(needs);
  while (!eraser.begins()) await sleep(env.clock, 200);
  for (let cursor: string | undefined; !eraser.complete;) {
    const slice = await erase({ seller, ...(cursor === undefined ? {} : { cursor }) });
    if (slice.isErr()) {
      await sleep(env.clock, 100);
      continue;
    }
    cursor = slice.value.cursor;
    eraser.complete = cursor === undefined;
  }
};
