import { ZipFile } from 'yazl';

export type ZipEntry = {
  readonly name: string;
  readonly content: Uint8Array | string;
  readonly stored?: boolean;
};
/** A real archive. */
export const zipOf = async (...entries: readonly ZipEntry[]): Promise<Buffer> => {
  const zip = new ZipFile();
  for (const { name, content, stored = false } of entries)
    if (name.endsWith('/')) zip.addEmptyDirectory(name);
    else zip.addBuffer(Buffer.from(content), name, { compress: !stored });
  zip.end();
  const chunks: Buffer[] = [];
  for await (const chunk of zip.outputStream) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks);
};

const LOCAL = Buffer.from([0x50, 0x4b, 3, 4]);
const CENTRAL = Buffer.from([0x50, 0x4b, 1, 2]);
/** Changes a number of the archive's directory (and of the file's own header, if it has a place there). */
export const patched = (
  zip: Buffer,
  change: (write: (offset: number, value: number, bytes: 2 | 4) => void, local: Buffer) => void,
): Buffer => {
  const copy = Buffer.from(zip);
  const central = copy.indexOf(CENTRAL);
  change(
    (offset, value, bytes) => copy.writeUIntLE(value, central + offset, bytes),
    copy.subarray(copy.indexOf(LOCAL)),
  );
  return copy;
};
/** Names a file as no tool would: the name must be as long as the one that is there. */
export const renamed = (zip: Buffer, from: string, to: string): Buffer =>
  Buffer.from(zip.toString('latin1').replaceAll(from, to), 'latin1');
