import { ok } from 'neverthrow';
import { afterEach, beforeEach, describe, expect, test } from 'vitest';
import { emptySchema, type EpochSchema } from '../schema/epoch-schema.ts';
import type { EpochStore } from '../epochs/epoch-store.port.ts';
import { SAMPLE_SHARDS, sampleClient } from './document-samples.ts';
import type { VasgenHarness } from './vasgen-harness.ts';

const client = sampleClient();
const schema: EpochSchema = {
  number: 1,
  fields: {
    title: { kind: 'text', boost: 2.5 },
    city: { kind: 'enum', clusters: true },
    tags: { kind: 'string', multiple: true },
    face: { kind: 'vector', dimension: 3 },
    ' "\'\\ имя': { kind: 'number' },
  },
};

export const epochStoreContract = (backend: string, harness: VasgenHarness): void => {
  describe(`EpochStore contract: ${backend}`, () => {
    let store: EpochStore, other: EpochStore, close: () => Promise<void>;
    beforeEach(async () => {
      const opened = await harness.open();
      store = opened.stores.epochs;
      other = opened.again().epochs;
      close = opened.close;
      (await store.ensureClient(client, SAMPLE_SHARDS))._unsafeUnwrap();
    });
    afterEach(() => close());
    const load = async () => (await store.load(client))._unsafeUnwrap();

    test('[V13] a new client has epoch 1, which serves and has no fields', async () => {
      expect(await load()).toEqual({
        version: 1,
        epochs: [{ epoch: 1, state: 'serving', schema: emptySchema }],
      });
    });
    test('[V13] making the client again changes nothing', async () => {
      (await store.change(client, 1, [{ epoch: 5, state: 'serving' }]))._unsafeUnwrap();
      expect(await other.ensureClient(client, SAMPLE_SHARDS)).toEqual(ok(undefined));
      expect((await load()).epochs.map(({ epoch }) => epoch)).toEqual([5]);
    });
    test('[V6] another number of shards is refused with both numbers', async () => {
      expect((await other.ensureClient(client, SAMPLE_SHARDS + 1))._unsafeUnwrapErr()).toEqual({
        kind: 'ShardsMismatch',
        client,
        stored: SAMPLE_SHARDS,
        configured: SAMPLE_SHARDS + 1,
      });
    });
    test('[V13] clients do not see each other', async () => {
      const second = sampleClient('others');
      expect((await store.load(second))._unsafeUnwrapErr()).toEqual({
        kind: 'UnknownClient',
        client: second,
      });
      (await store.ensureClient(second, 1))._unsafeUnwrap();
      (await store.grow(client, 1, schema))._unsafeUnwrap();
      expect((await store.load(second))._unsafeUnwrap().epochs[0]!.schema).toEqual(emptySchema);
    });
    test('[V11] states are changed in one step: a new epoch is empty, others keep their schema, the rest is gone', async () => {
      (await store.grow(client, 1, schema))._unsafeUnwrap();
      (
        await store.change(client, 1, [
          { epoch: 2, state: 'building' },
          { epoch: 1, state: 'serving' },
        ])
      )._unsafeUnwrap();
      expect(await load()).toEqual({
        version: 2,
        epochs: [
          { epoch: 1, state: 'serving', schema },
          { epoch: 2, state: 'building', schema: emptySchema },
        ],
      });
      (await store.change(client, 2, [{ epoch: 2, state: 'serving' }]))._unsafeUnwrap();
      expect((await load()).epochs).toEqual([{ epoch: 2, state: 'serving', schema: emptySchema }]);
    });
    test('[V11] a change that was decided on an older version is refused, and nothing is written', async () => {
      (await store.change(client, 1, [{ epoch: 1, state: 'retained' }]))._unsafeUnwrap();
      for (const version of [0, 1, 3])
        expect(
          (await other.change(client, version, [{ epoch: 9, state: 'serving' }]))._unsafeUnwrapErr(),
        ).toMatchObject({ kind: 'EpochsMoved' });
      expect(await load()).toMatchObject({ version: 2, epochs: [{ epoch: 1, state: 'retained' }] });
    });
    test('[V11] a change of an unknown client is refused', async () => {
      const nobody = sampleClient('unknown');
      expect((await store.change(nobody, 1, []))._unsafeUnwrapErr()).toEqual({
        kind: 'UnknownClient',
        client: nobody,
      });
    });
    test('[V11] one of eight racing changes wins', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? store : other).change(client, 1, [{ epoch: 10 + i, state: 'serving' }]),
        ),
      );
      const won = outcomes.flatMap((outcome, i) => (outcome.isOk() ? [i] : []));
      expect(won).toHaveLength(1);
      expect(await load()).toMatchObject({ version: 2, epochs: [{ epoch: 10 + won[0]! }] });
    });
    test('[V4] a schema grows by one number at a time and reads back as it was', async () => {
      (await store.grow(client, 1, schema))._unsafeUnwrap();
      expect((await load()).epochs[0]!.schema).toEqual(schema);
      for (const number of [0, 1, 3])
        expect((await other.grow(client, 1, { ...schema, number }))._unsafeUnwrapErr()).toEqual({
          kind: 'SchemaNotNext',
          epoch: 1,
        });
      expect((await store.grow(client, 2, schema))._unsafeUnwrapErr()).toEqual({
        kind: 'SchemaNotNext',
        epoch: 2,
      });
      expect(await load()).toMatchObject({ version: 1 });
    });
    test('[V4] one of eight receivers that grow the schema at once wins', async () => {
      const outcomes = await Promise.all(
        Array.from({ length: 8 }, (_, i) =>
          (i % 2 ? store : other).grow(client, 1, { number: 1, fields: { [`f${i}`]: { kind: 'number' } } }),
        ),
      );
      const won = outcomes.flatMap((outcome, i) => (outcome.isOk() ? [i] : []));
      expect(won).toHaveLength(1);
      expect((await load()).epochs[0]!.schema.fields).toEqual({ [`f${won[0]!}`]: { kind: 'number' } });
    });
    test('[V4] a schema of 10,000 fields is kept', async () => {
      const fields = Object.fromEntries(
        Array.from({ length: 10_000 }, (_, i) => [`attr.${i}`, { kind: 'number' as const }]),
      );
      (await store.grow(client, 1, { number: 1, fields }))._unsafeUnwrap();
      expect(Object.keys((await load()).epochs[0]!.schema.fields)).toHaveLength(10_000);
    });
  });
};
