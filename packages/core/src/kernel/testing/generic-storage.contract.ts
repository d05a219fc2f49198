import { randomUUID } from 'node:crypto';
import { err, ok } from 'neverthrow';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import type { GenericStorage } from '../ports/generic-storage.port.ts';

export type GenericStorageHarness = {
  readonly open: () => Promise<{ readonly storage: GenericStorage; readonly close: () => Promise<void> }>;
  readonly promises: { readonly durable: boolean };
};
const bytes = (text: string): Uint8Array => new TextEncoder().encode(text);

export const genericStorageContract = (backend: string, { open, promises }: GenericStorageHarness): void => {
  describe(`GenericStorage contract: ${backend}`, () => {
    let storage: GenericStorage, close: () => Promise<void>;
    beforeAll(async () => ({ storage, close } = await open()));
    afterAll(() => close());
    const space = (): string => `space-${randomUUID()}`;
    const plain = (values: readonly { key: string; value: Uint8Array; version: number }[]) =>
      values.map(({ key, value, version }) => [key, new TextDecoder().decode(value), version]);

    test('[B11] reads back stored values in the requested order and leaves out missing keys', async () => {
      const s = space();
      expect(await storage.put(s, 'b', bytes('two'), 0)).toEqual(ok(1));
      expect(await storage.put(s, 'a', bytes(''), 0)).toEqual(ok(1));
      expect(plain((await storage.get(s, ['b', 'none', 'a']))._unsafeUnwrap())).toEqual([
        ['b', 'two', 1],
        ['a', '', 1],
      ]);
      expect(await storage.get(s, [])).toEqual(ok([]));
    });
    test('[B11] refuses a stale version and does not change the value', async () => {
      const s = space();
      await storage.put(s, 'k', bytes('1'), 0);
      expect(await storage.put(s, 'k', bytes('2'), 1)).toEqual(ok(2));
      expect(await storage.put(s, 'k', bytes('3'), 1)).toEqual(
        err({ kind: 'VersionConflict', key: 'k', expected: 1, actual: 2 }),
      );
      expect(await storage.put(s, 'k', bytes('3'), 0)).toEqual(
        err({ kind: 'VersionConflict', key: 'k', expected: 0, actual: 2 }),
      );
      expect(plain((await storage.get(s, ['k']))._unsafeUnwrap())).toEqual([['k', '2', 2]]);
    });
    test('[B11] one of ten concurrent writers wins at every version', async () => {
      const s = space();
      for (let version = 0; version < 3; version++) {
        const outcomes = await Promise.all(
          Array.from({ length: 10 }, (_, i) => storage.put(s, 'k', bytes(`${version}.${i}`), version)),
        );
        expect(outcomes.filter((outcome) => outcome.isOk())).toHaveLength(1);
      }
    });
    test('[B11] removes a key only at the expected version', async () => {
      const s = space();
      await storage.put(s, 'k', bytes('1'), 0);
      expect((await storage.remove(s, 'k', 2)).isErr()).toBe(true);
      expect(await storage.remove(s, 'k', 1)).toEqual(ok(undefined));
      expect(await storage.get(s, ['k'])).toEqual(ok([]));
      expect(await storage.remove(s, 'k', 1)).toEqual(
        err({ kind: 'VersionConflict', key: 'k', expected: 1, actual: 0 }),
      );
      expect(await storage.put(s, 'k', bytes('again'), 0)).toEqual(ok(1));
    });
    test('[B11] spaces are separate, and a key may be any text', async () => {
      const s = space();
      const other = space();
      const odd = 'ключ/ё 𝄞 %_\'"\\';
      await storage.put(s, odd, bytes('x'), 0);
      expect(await storage.get(other, [odd])).toEqual(ok([]));
      expect(plain((await storage.get(s, [odd]))._unsafeUnwrap())).toEqual([[odd, 'x', 1]]);
    });
    test('[B11] lists in the order of UTF-8 bytes, page by page', async () => {
      const s = space();
      const keys = ['b', 'a', 'я', 'aa', 'B', '￿', '𝄞'];
      for (const key of keys) await storage.put(s, key, bytes(key), 0);
      const listed: string[] = [];
      for (let after: string | undefined; ;) {
        const page = (
          await storage.list(s, { limit: 3, ...(after === undefined ? {} : { after }) })
        )._unsafeUnwrap();
        listed.push(...page.map(({ key }) => key));
        if (page.length < 3) break;
        after = page.at(-1)!.key;
      }
      expect(listed).toEqual([...keys].sort((a, b) => Buffer.compare(Buffer.from(a), Buffer.from(b))));
    });
    test('[B11] an oversize value is refused with its key and not stored', async () => {
      const s = space();
      const refused = await storage.put(s, 'k', new Uint8Array(2_000_000), 0);
      expect(refused._unsafeUnwrapErr()).toMatchObject({ kind: 'ValueTooLarge', key: 'k', bytes: 2_000_000 });
      expect(await storage.get(s, ['k'])).toEqual(ok([]));
    });
    test('[B11] a stored value is a copy of the given bytes', async () => {
      const s = space();
      const value = bytes('abc');
      await storage.put(s, 'k', value, 0);
      value[0] = 0;
      expect(plain((await storage.get(s, ['k']))._unsafeUnwrap())).toEqual([['k', 'abc', 1]]);
    });
    test.runIf(promises.durable)('[B11] values survive a reconnect', async () => {
      const s = space();
      await storage.put(s, 'k', bytes('1'), 0);
      const again = await open();
      expect(plain((await again.storage.get(s, ['k']))._unsafeUnwrap())).toEqual([['k', '1', 1]]);
      await again.close();
    });
  });
};
