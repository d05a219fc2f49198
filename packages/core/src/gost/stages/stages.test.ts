import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { inMemoryGenericStorage, memoryDatabase } from '../../kernel/testing.ts';
import { parseStageName, type StageName } from './stage.ts';
import { alteration, inMemoryGostStores, publication } from '../testing/gost-stores.ts';
import { sampleOfferId } from '../testing/samples.ts';
import { makeStages } from './stages.use-case.ts';

const offerId = sampleOfferId(1);
const [stage, other] = ['price-check', 'classifier'] as [StageName, StageName];
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);
const open = async () => {
  const db = memoryDatabase({ nowMs: () => 0 });
  const stores = inMemoryGostStores(db);
  const made = publication(1, { shards: 1 });
  await stores.offers.commit([{ changes: [made, publication(2)] }]);
  const storage = inMemoryGenericStorage(db);
  const stages = makeStages({
    load: (ids) => stores.offers.load(ids),
    archive: stores.archive,
    storage,
    bytesMax: 10,
  });
  return { stages, stores, made };
};

describe('stages', () => {
  test('[G10] what was put is got, by offer and stage; what was not is nothing at version 0', async () => {
    const { stages } = await open();
    expect(await stages.get({ offerId, stage })).toEqual(ok({ version: 0, state: new Uint8Array() }));
    expect(await stages.put({ offerId, stage, state: bytes('one'), expected: 0 })).toEqual(ok(1));
    expect(await stages.put({ offerId, stage, state: bytes('two'), expected: 1 })).toEqual(ok(2));
    expect(await stages.get({ offerId, stage })).toEqual(ok({ version: 2, state: bytes('two') }));
    for (const elsewhere of [
      { offerId, stage: other },
      { offerId: sampleOfferId(2), stage },
    ])
      expect((await stages.get(elsewhere))._unsafeUnwrap().version).toBe(0);
  });
  test('[G10] of eight puts on one version one wins; the others are told where it stands', async () => {
    const { stages } = await open();
    const puts = await Promise.all(
      Array.from({ length: 8 }, (_, n) => stages.put({ offerId, stage, state: bytes(`${n}`), expected: 0 })),
    );
    expect(puts.filter((put) => put.isOk())).toHaveLength(1);
    const { state } = (await stages.get({ offerId, stage }))._unsafeUnwrap();
    expect(state).toEqual(bytes(`${puts.findIndex((put) => put.isOk())}`));
    for (const put of puts)
      if (put.isErr()) expect(put.error).toMatchObject({ kind: 'VersionConflict', expected: 0, actual: 1 });
  });
  test('[G10] the version of the offer does not change, and nothing is published', async () => {
    const { stages, stores, made } = await open();
    await stages.put({ offerId, stage, state: bytes('one'), expected: 0 });
    expect(await stores.offers.load([offerId])).toEqual(ok([made.offer]));
    expect((await stores.offers.history(offerId, { limit: 9 }))._unsafeUnwrap()).toHaveLength(1);
    const queued = await Promise.all([0, 1, 2, 3].map((shard) => stores.queue.read(shard, 9)));
    expect(queued.flatMap((rows) => rows._unsafeUnwrap())).toHaveLength(2);
  });
  test('[G10] the state of an unknown offer is refused; of a removed one it is read, not written', async () => {
    const { stages, stores, made } = await open();
    const nobody = sampleOfferId(9);
    const refused = err({ kind: 'NotFound', offerId: nobody });
    expect(await stages.get({ offerId: nobody, stage })).toEqual(refused);
    expect(await stages.put({ offerId: nobody, stage, state: bytes('x'), expected: 0 })).toEqual(refused);
    await stages.put({ offerId, stage, state: bytes('one'), expected: 0 });
    await stores.offers.commit([{ changes: [alteration(made.offer, { kind: 'remove' })] }]);
    expect((await stages.get({ offerId, stage }))._unsafeUnwrap().version).toBe(1);
    expect(await stages.put({ offerId, stage, state: bytes('x'), expected: 1 })).toEqual(
      err({ kind: 'NotFound', offerId }),
    );
  });
  test('[G10] a state is bounded', async () => {
    const { stages } = await open();
    const put = (length: number) =>
      stages.put({ offerId, stage, state: new Uint8Array(length), expected: 0 });
    expect(await put(11)).toMatchObject({ error: { kind: 'ValueTooLarge', bytes: 11, bytesMax: 10 } });
    expect(await put(10)).toEqual(ok(1));
  });
  test.each([
    ['a', true],
    ['price-check-2', true],
    [`a${'b'.repeat(49)}`, true],
    [`a${'b'.repeat(50)}`, false],
    ['', false],
    ['2nd', false],
    ['Price', false],
    ['a/b', false],
    ['a b', false],
    ['a\n', false],
  ])('[G10] %j as a name of a stage: %s', (name, right) => {
    expect(parseStageName(name).isOk()).toBe(right);
  });
});
