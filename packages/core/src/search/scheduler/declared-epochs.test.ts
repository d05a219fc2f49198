import { errAsync, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { invalidInput, unavailable, type InvalidInput, type Unavailable } from '../../kernel/index.ts';
import { manualClock, recordingTelemetry } from '../../kernel/testing.ts';
import type { Epoch } from '../../vasgen/index.ts';
import { defaultSearchSettings } from '../settings.ts';
import { sampleCatalog } from '../testing/sample-catalog.ts';
import { makeDeclaredEpochs } from './declared-epochs.use-case.ts';

const KEPT_MS = 5_000;
const open = (numbers: readonly number[] = [1]) => {
  const time = manualClock(1_000);
  const { telemetry, lines } = recordingTelemetry();
  const world = {
    numbers,
    asked: 0,
    isAway: false,
    slowMs: 0,
    refusal: undefined as InvalidInput | Unavailable | undefined,
  };
  const declared: { epoch: number; fields: readonly string[]; plans: readonly string[] }[] = [];
  const epochs = makeDeclaredEpochs({
    epochs: {
      living: () => {
        world.asked += 1;
        if (world.isAway) return errAsync(unavailable('indexing'));
        const found: readonly Epoch[] = world.numbers.map((epoch) => ({
          epoch,
          state: 'serving',
          schema: { number: 0, fields: {} },
        }));
        return okAsync(found).map(async (list) => {
          await time.advance(world.slowMs);
          return list;
        });
      },
      declare: (epoch, fields, plans) => {
        if (world.refusal) return errAsync(world.refusal);
        declared.push({ epoch, fields: Object.keys(fields), plans: Object.keys(plans) });
        return okAsync(undefined);
      },
    },
    ranking: defaultSearchSettings.ranking,
    keptMs: KEPT_MS,
    clock: time.clock,
    logger: telemetry.logger,
  });
  const numbersOf = async (): Promise<readonly number[]> =>
    (await epochs.living())._unsafeUnwrap().map(({ epoch }) => epoch);
  return { epochs, world, declared, lines, time, numbersOf };
};

test('[S1] the living epochs are asked again after a while, and at once when they are said to be old', async () => {
  const { epochs, world, time, numbersOf } = open();
  expect(await numbersOf()).toEqual([1]);
  world.numbers = [1, 2];
  await time.advance(KEPT_MS - 1);
  expect([await numbersOf(), world.asked]).toEqual([[1], 1]);
  await time.advance(1);
  expect([await numbersOf(), world.asked]).toEqual([[1, 2], 2]);
  world.numbers = [2];
  expect(await numbersOf()).toEqual([1, 2]);
  epochs.forget();
  expect([await numbersOf(), world.asked]).toEqual([[2], 3]);
});

test('[S1] an answer that was on its way for long is as old as its question', async () => {
  const { world, numbersOf } = open();
  world.slowMs = KEPT_MS;
  await numbersOf();
  await numbersOf();
  expect(world.asked).toBe(2);
});

test('[S1] indexing that is away is said, and asked again with the next call', async () => {
  const { epochs, world, declared } = open();
  world.isAway = true;
  expect((await epochs.living())._unsafeUnwrapErr().kind).toBe('Unavailable');
  expect((await epochs.declared(sampleCatalog()))._unsafeUnwrapErr().kind).toBe('Unavailable');
  expect(declared).toEqual([]);
  world.isAway = false;
  expect((await epochs.declared(sampleCatalog()))._unsafeUnwrap()).toHaveLength(1);
  expect(declared).toHaveLength(1);
});

test('[S1] every epoch gets the fields of a catalogue version once, and those of a new version again', async () => {
  const { epochs, declared } = open([1, 4]);
  await epochs.declared(sampleCatalog(3));
  await epochs.declared(sampleCatalog(3));
  expect(declared.map(({ epoch }) => epoch)).toEqual([1, 4]);
  expect(declared[0]?.fields).toContain('attr.brand');
  expect(declared[0]?.plans).toHaveLength(1);
  await epochs.declared(sampleCatalog(4));
  expect(declared.map(({ epoch }) => epoch)).toEqual([1, 4, 1, 4]);
});

test('[S1] fields that cannot be declared now are declared with the next call', async () => {
  const { epochs, world, declared, lines } = open();
  world.refusal = unavailable('indexing');
  expect((await epochs.declared(sampleCatalog()))._unsafeUnwrapErr().kind).toBe('Unavailable');
  world.refusal = undefined;
  expect((await epochs.declared(sampleCatalog())).isOk()).toBe(true);
  expect([declared.length, lines]).toEqual([1, []]);
});

test('[S1] fields that are refused stop no document: the log names the epoch, and they are not sent again', async () => {
  const { epochs, world, declared, lines } = open();
  world.refusal = invalidInput({ path: 'fields', code: 'TooMany', message: 'too many fields' });
  expect((await epochs.declared(sampleCatalog())).isOk()).toBe(true);
  expect(lines).toMatchObject([{ level: 'error', epoch: 1, error: { kind: 'InvalidInput' } }]);
  world.refusal = undefined;
  await epochs.declared(sampleCatalog());
  expect(declared).toEqual([]);
});
