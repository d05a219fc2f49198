import { cpSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import type { IndexChange } from '@doska/core/vasgen';
import { historyArbitrary, plainAnalyzer, remove, upsert } from '@doska/core/vasgen/testing';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { differences, inFolder, openedIn, sampleSpec, truthOf } from '../testing/engine-probe.ts';
import { filesOf, manifestNumber, readManifest } from './manifest.ts';
import { SnapshotStore } from './snapshot-store.ts';

const { name } = sampleSpec;
const position = (offset: number) => ({ log: 'l', topic: 't', partition: 0, offset });

test('[V8] snapshot → restore equals, with positions and tombstones, wherever upkeep stood', async () => {
  const parts = fc.array(historyArbitrary(1, 30, 25), { minLength: 1, maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(parts, historyArbitrary(1, 30, 10), async (batches, later) =>
      inFolder(async (dir) => {
        const engine = await openedIn(dir);
        await engine.create(sampleSpec);
        for (const [at, batch] of batches.entries()) {
          await engine.apply(name, batch, { positions: [position(at)] });
          if (at % 2 === 0) (await engine.snapshot(name))._unsafeUnwrap();
        }
        (await engine.snapshot(name))._unsafeUnwrap();
        await engine.apply(name, later);
        await engine.close();

        const again = await openedIn(dir);
        expect(again.opened).toMatchObject([{ name, damaged: [] }]);
        const info = (await again.indexes())._unsafeUnwrap()[0]!;
        expect(info.positions).toEqual([position(batches.length - 1)]);
        expect(await differences(again, truthOf(batches.flat()))).toEqual([]);
        // And it goes on where it stood.
        await again.apply(name, later);
        expect(await differences(again, truthOf([...batches.flat(), ...later]))).toEqual([]);
        await again.close();
      }),
    ),
    { numRuns: 100 },
  );
});

const sample = (version: number): IndexChange[] =>
  Array.from({ length: 12 }, (_, n) =>
    upsert(
      `d${n}`,
      {
        title: `диван ${n}`,
        body: 'стол',
        category: 'auto',
        price: n,
        city: 'Омск',
        place: { lat: n, lon: n },
        look: [n, 1, 2],
        tags: ['new', `t${n}`],
        codes: [`c${n}`, 'A1'],
      },
      { version },
    ),
  );
const older = [...sample(1), remove('d3', { version: 2 })];
/** So little that no segment is worth rewriting for it: what is sealed stays shared. */
const newer = [...older, ...sample(3).slice(3, 4), remove('d9', { version: 9 })];

const twoSnapshots = async (dir: string): Promise<void> => {
  const engine = await openedIn(dir);
  await engine.create(sampleSpec);
  await engine.apply(name, older, { positions: [position(1)] });
  // Until upkeep has sealed the segment that is full, and a snapshot holds it so.
  do (await engine.snapshot(name))._unsafeUnwrap();
  while (!readdirSync(join(dir, name)).some((file) => file.startsWith('segment-')));
  await engine.apply(name, newer.slice(older.length), { positions: [position(2)] });
  (await engine.snapshot(name))._unsafeUnwrap();
  await engine.close();
};

/** Opens the damaged folder: it must say that something is wrong, and show the newer state, the older one, or nothing. */
const judge = async (dir: string): Promise<'newer' | 'older' | 'nothing'> => {
  const engine = await openedIn(dir);
  try {
    const [opened] = engine.opened;
    const [info] = (await engine.indexes())._unsafeUnwrap();
    if (!info) {
      expect(opened?.snapshot).toBeUndefined();
      return 'nothing';
    }
    const offset = info.positions[0]?.offset;
    expect(await differences(engine, truthOf(offset === 2 ? newer : older))).toEqual([]);
    if (offset === 2) return 'newer';
    expect(opened?.damaged.length).toBeGreaterThan(0);
    return 'older';
  } finally {
    await engine.close();
  }
};

const options = { analyzer: plainAnalyzer, horizonMs: 1e12, segmentDocuments: 2 };

test('[V8] every byte of a snapshot flipped or cut is found', async () => {
  await inFolder(async (dir) => {
    const engine = await openedIn(dir, { segmentDocuments: 2 });
    // A vector's page alone would be most of the bytes.
    const { look: _, ...schema } = sampleSpec.schema;
    await engine.create({ ...sampleSpec, schema });
    const documents = ['a', 'b', 'c'].map((pk, n) =>
      upsert(pk, { title: 'диван', category: 'auto', price: n, city: 'Омск', place: { lat: n, lon: n } }),
    );
    expect(
      (await engine.apply(name, documents))._unsafeUnwrap().every(({ kind }) => kind === 'applied'),
    ).toBe(true);
    (await engine.snapshot(name))._unsafeUnwrap();
    await engine.close();
    const folder = join(dir, name);
    const whole = await new SnapshotStore(folder).load(options);
    const { manifest } = whole.loaded!;
    const findsDamage = async (path: string, at: number): Promise<void> => {
      const { damaged, loaded } = await new SnapshotStore(folder).load(options);
      expect(damaged[0]?.number, `${path} at ${at}`).toBe(manifest.number);
      expect(loaded?.manifest.number).not.toBe(manifest.number);
    };
    let bytesTried = 0;
    for (const file of filesOf(manifest)) {
      const path = join(folder, file);
      const bytes = readFileSync(path);
      for (let at = 0; at < bytes.length; at++, bytesTried++) {
        const wrong = Buffer.from(bytes);
        wrong[at]! ^= 1 << (at % 8);
        writeFileSync(path, wrong);
        await findsDamage(path, at);
        if (at % 5 > 0) continue;
        writeFileSync(path, bytes.subarray(0, at));
        await findsDamage(path, at);
      }
      writeFileSync(path, bytes);
    }
    expect(bytesTried).toBeGreaterThan(3000);
    expect((await new SnapshotStore(folder).load(options)).damaged).toEqual([]);
  });
}, 240_000);

test('[V8] what a damaged file costs: its snapshot, or both where they share it, and it is never silent', async () => {
  await inFolder(async (dir) => {
    const good = join(dir, 'good');
    mkdirSync(good);
    await twoSnapshots(good);
    expect(await judge(good)).toBe('newer');
    const [older, newer] = readdirSync(join(good, name))
      .flatMap((file) => manifestNumber(file) ?? [])
      .sort();
    const filesAt = async (number: number): Promise<readonly string[]> =>
      filesOf((await readManifest(join(good, name), number)).manifest);
    const inOlder = await filesAt(older!);
    const inNewer = await filesAt(newer!);
    const cost = (file: string): string =>
      !inNewer.includes(file) ? 'newer' : inOlder.includes(file) ? 'nothing' : 'older';
    const bad = join(dir, 'bad');
    cpSync(good, bad, { recursive: true });
    const outcomes = new Set<string>();
    for (const file of readdirSync(join(good, name))) {
      const path = join(bad, name, file);
      const bytes = readFileSync(join(good, name, file));
      for (const part of [0.1, 0.5, 0.9]) {
        const wrong = Buffer.from(bytes);
        wrong[Math.floor(part * bytes.length)]! ^= 4;
        writeFileSync(path, wrong);
        expect(await judge(bad), file).toBe(cost(file));
        outcomes.add(`${cost(file)} without ${file.split('-')[0]}`);
      }
      writeFileSync(path, bytes);
    }
    // Sealed segments and terms are written once: the snapshots that follow share them.
    expect([...outcomes].sort()).toEqual([
      'newer without open',
      'newer without snapshot',
      'nothing without segment',
      'nothing without terms',
      'older without open',
      'older without snapshot',
    ]);
  });
});

test('[V8] a file that is gone is found too; unused files are deleted with the next snapshot', async () => {
  await inFolder(async (dir) => {
    await twoSnapshots(dir);
    const files = readdirSync(join(dir, name));
    const open = files
      .filter((file) => file.startsWith('open-'))
      .sort()
      .at(-1)!;
    rmSync(join(dir, name, open));
    writeFileSync(join(dir, name, 'segment-1-99.bin.part'), 'left by a crash');
    expect(await judge(dir)).toBe('older');
    const engine = await openedIn(dir);
    (await engine.snapshot(name))._unsafeUnwrap();
    await engine.close();
    expect(readdirSync(join(dir, name)).some((file) => file.endsWith('.part'))).toBe(false);
    expect((await openedIn(dir)).opened).toMatchObject([{ damaged: [] }]);
  });
});

test('[V8] an index of which nothing can be read is said so, and may be created again', async () => {
  await inFolder(async (dir) => {
    await twoSnapshots(dir);
    for (const file of readdirSync(join(dir, name))) writeFileSync(join(dir, name, file), 'x');
    const engine = await openedIn(dir);
    expect(engine.opened[0]?.snapshot).toBeUndefined();
    expect(engine.opened[0]?.damaged).toHaveLength(2);
    expect((await engine.create(sampleSpec)).isOk()).toBe(true);
    await engine.apply(name, newer);
    expect(await differences(engine, truthOf(newer))).toEqual([]);
    await engine.close();
  });
});

test('[S6] the words of an index outlive a restart, also those that only later documents wrote', async () => {
  await inFolder(async (dir) => {
    const engine = await openedIn(dir);
    await engine.create(sampleSpec);
    await engine.apply(name, [upsert('a', { title: 'диваны и лампа' })]);
    (await engine.snapshot(name))._unsafeUnwrap();
    await engine.apply(name, [upsert('b', { title: 'диван' })]);
    (await engine.snapshot(name))._unsafeUnwrap();
    await engine.close();
    const again = await openedIn(dir);
    expect((await again.words({ index: name }, { limit: 10 }))._unsafeUnwrap()).toEqual([
      { word: 'диван', documents: 2 },
      { word: 'диваны', documents: 2 },
      { word: 'лампа', documents: 1 },
    ]);
    await again.close();
  });
});
