import { openProcessOffers } from '../commit/process-offers.store.ts';
import { ok } from 'neverthrow';
import { makePageTokens, sleep, type BlobStore, type GenericStorage } from '../../kernel/index.ts';
import type { Env } from '../../kernel/testing.ts';
import type { SellerId } from '../offer/offer.ts';
import type { StageName } from '../stages/stage.ts';
import type { GostStores } from '../gost-stores.port.ts';
import { makeEraseArchived } from '../erasure/erase-archived.use-case.ts';
import { makeEraseSeller } from '../erasure/erase-seller.use-case.ts';
import { makeEraseTraces, type EraseTraces } from '../erasure/erase-traces.use-case.ts';
import { defaultGostSettings } from '../settings.ts';
import { makeStages } from '../stages/stages.use-case.ts';
import type { TestGost } from './open-test-gost.ts';
import { jsonGostCodecs } from './json-codecs.ts';
import { sampleCatalog } from './samples.ts';
import { wordOf, type Client } from './simulated-clients.ts';

/** What reaches a process of the scenario. */
type Reach = {
  readonly stores: GostStores;
  readonly storage: GenericStorage;
  readonly blobs: BlobStore;
  readonly env: Env;
};
/** Never late and never lost: a first put that arrives after an erasure finds nothing to compare with. */
type Prompt = { readonly prompt: GenericStorage };

/** A stage that keeps a word about an offer and moves it on, a version at a time. */
export type Stager = {
  readonly client: Client;
  readonly puts: number;
  /** The last acknowledged version, and its state. */
  answered: { readonly version: number; readonly state: string } | undefined;
  done: number;
};
export const STAGE = 'classifier' as StageName;
export const stageOn = async (
  stager: Stager,
  { stores, storage, prompt, env }: Omit<Reach, 'blobs'> & Prompt,
): Promise<void> => {
  const over = (kept: GenericStorage) =>
    makeStages({
      load: (ids) => stores.offers.load(ids),
      archive: stores.archive,
      storage: kept,
      bytesMax: 1_000,
    });
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
      offerId,
      stage: STAGE,
      expected,
      state: new TextEncoder().encode(state),
    });
    if (put.isOk() && put.value > (stager.answered?.version ?? 0))
      stager.answered = { version: put.value, state };
    // Nothing is put for an offer that is removed or archived.
    if (put.isOk() || put.error.kind === 'NotFound' || put.error.kind === 'Archived') stager.done++;
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
  { stores, storage, blobs, env }: Reach,
  {
    gost,
    tracesOf,
    shards,
  }: {
    readonly gost: TestGost;
    readonly tracesOf: (right: EraseTraces) => EraseTraces;
    readonly shards: number;
  },
): Promise<void> => {
  const { seller } = eraser;
  const deciding = {
    clock: env.clock,
    random: { below: () => 0 },
    settings: { ...defaultGostSettings, shards },
  };
  const traces = tracesOf(
    makeEraseTraces({
      ...stores,
      ...deciding,
      storage,
      offers: openProcessOffers(stores.offers, { clock: env.clock, lingerMs: 0, memoryBytes: 0 }),
    }),
  );
  const eraseArchived = makeEraseArchived({
    ...deciding,
    catalog: () => ok(sampleCatalog),
    archive: stores.archive,
    blobs,
    traces,
    codecs: jsonGostCodecs,
    ids: env.ids,
  });
  const erase = makeEraseSeller({
    scan: stores.scan,
    changeOffers: gost.changeOffers,
    traces,
    eraseArchived,
    tokens,
    slice: 2,
  });
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
