import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { DamagedFile, readSections, section, writeSections } from './sectioned-file.ts';

test('[X14] a whole file of the right size with other content than the manifest notes is refused', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-sections-'));
  onTestFinished(() => rmSync(folder, { recursive: true, force: true }));
  const write = (value: number) =>
    writeSections(folder, 'segment-1-1.bin', {}, [section('values', Uint32Array.of(value))]);
  const noted = await write(1);
  expect((await readSections(folder, noted.file, noted)).array('values')).toEqual(Uint32Array.of(1));
  const other = await write(2);
  expect(other.bytes).toBe(noted.bytes);
  await expect(readSections(folder, noted.file, noted)).rejects.toThrow(DamagedFile);
  await expect(readSections(folder, noted.file, { ...other, bytes: other.bytes + 1 })).rejects.toThrow(
    DamagedFile,
  );
  expect((await readSections(folder, noted.file, other)).array('values')).toEqual(Uint32Array.of(2));
});
