import { cpSync, readdirSync, rmSync } from 'node:fs';
import type * as fs from 'node:fs/promises';
import { join } from 'node:path';
import { afterEach, expect, test, vi } from 'vitest';
import { historyUpTo } from '../testing/crash-history.ts';
import { differences, inFolder, openedIn, sampleSpec, truthOf } from '../testing/engine-probe.ts';

/** Bytes that the disk still takes. */
let room = Infinity;
vi.mock('node:fs/promises', async (original) => {
  const real = await original<typeof fs>();
  return {
    ...real,
    open: async (...args: Parameters<typeof real.open>) => {
      const file = await real.open(...args);
      const write = file.write.bind(file);
      const limited = async (bytes: Uint8Array, from?: number, length?: number): Promise<unknown> => {
        const wanted = length ?? bytes.byteLength - (from ?? 0);
        if (room < wanted) throw Object.assign(new Error('no space left on device'), { code: 'ENOSPC' });
        room -= wanted;
        return write(bytes, from, length);
      };
      return Object.assign(file, { write: limited });
    },
  };
});
afterEach(() => {
  room = Infinity;
});
const { name } = sampleSpec;

test('[V8] a disk that is full at any byte of a snapshot: queries go on, the last snapshot stays, nothing is left over', async () => {
  await inFolder(async (dir) => {
    const history = historyUpTo(400);
    const engine = await openedIn(dir);
    await engine.create(sampleSpec);
    await engine.apply(name, history.slice(0, 200));
    (await engine.snapshot(name))._unsafeUnwrap();
    const before = readdirSync(join(dir, name)).toSorted();

    await engine.apply(name, history.slice(200));
    let failed = 0;
    for (let bytes = 0; ; bytes += 1_500) {
      room = bytes;
      const answer = await engine.snapshot(name);
      if (answer.isOk()) break;
      failed++;
      expect(answer.error).toMatchObject({ kind: 'Unavailable' });
      expect(readdirSync(join(dir, name)).toSorted()).toEqual(before);
      room = Infinity;
      if (failed % 8 !== 1) continue;
      expect(await differences(engine, truthOf(history))).toEqual([]);
      // As after kill -9: what is on the disk is the snapshot of before.
      const folder = `${dir}-copy`;
      cpSync(dir, folder, { recursive: true, filter: (path) => !/lock-\d+$/.test(path) });
      const copy = await openedIn(folder);
      expect(copy.opened.flatMap(({ damaged }) => damaged)).toEqual([]);
      expect(await differences(copy, truthOf(history.slice(0, 200)))).toEqual([]);
      await copy.close();
      rmSync(folder, { recursive: true, force: true });
    }
    expect(failed).toBeGreaterThan(8);
    await engine.close();

    room = Infinity;
    const again = await openedIn(dir);
    expect(again.opened.flatMap(({ damaged }) => damaged)).toEqual([]);
    expect(await differences(again, truthOf(history))).toEqual([]);
    await again.close();
  });
}, 120_000);
