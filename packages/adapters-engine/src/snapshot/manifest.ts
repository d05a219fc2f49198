import type { Position } from '@doska/core/kernel';
import type { IndexSpec } from '@doska/core/vasgen';
import { readSections, section, writeSections, type FileNote, type SectionedFile } from './sectioned-file.ts';
import type { IndexImage } from './index-image.ts';

/** Raised when files written before can't be read any more. */
const FORMAT = 3;
const NAME = /^snapshot-(\d{1,12})\.bin$/;

export type SegmentNote = { readonly serial: number; readonly isSealed: boolean; readonly file: FileNote };
/** What a snapshot is made of; every file with its size and checksum. */
export type Manifest = {
  readonly format: number;
  readonly number: number;
  readonly spec: IndexSpec;
  readonly analyzer: string;
  readonly positions: readonly Position[];
  readonly segments: readonly SegmentNote[];
  readonly terms: readonly FileNote[];
  readonly words: readonly number[];
  readonly enums: Readonly<Record<string, readonly (string | boolean)[]>>;
};

export const manifestFile = (number: number): string => `snapshot-${number}.bin`;
export const manifestNumber = (file: string): number | undefined => {
  const found = NAME.exec(file);
  return found ? Number(found[1]) : undefined;
};
/** Every file has the number of the snapshot that wrote it in its name, so that no name is ever used twice. */
export const numberOf = (file: string): number => Number(/-(\d+)\.bin(\.part)?$/.exec(file)?.[1] ?? 0);

export const filesOf = ({ number, segments, terms }: Manifest): readonly string[] => [
  manifestFile(number),
  ...segments.map(({ file }) => file.file),
  ...terms.map(({ file }) => file),
];

export const writeManifest = async (
  folder: string,
  number: number,
  image: IndexImage,
  segments: readonly SegmentNote[],
  terms: readonly FileNote[],
): Promise<Manifest> => {
  const { spec, analyzer, positions, words, enums } = image;
  const manifest: Manifest = {
    format: FORMAT,
    number,
    spec,
    analyzer,
    positions,
    segments,
    terms,
    words,
    enums,
  };
  await writeSections(folder, manifestFile(number), manifest, [
    section('frequencies', image.frequencies),
    ...image.segments.flatMap(({ alive, buried }, at) => [
      section(`alive.${at}`, alive),
      section(`buried.${at}`, buried),
    ]),
  ]);
  return manifest;
};

export const readManifest = async (
  folder: string,
  number: number,
): Promise<{ readonly manifest: Manifest; readonly arrays: SectionedFile }> => {
  const arrays = await readSections(folder, manifestFile(number));
  const manifest = arrays.meta as Manifest;
  if (manifest.format !== FORMAT) throw new Error(`${manifestFile(number)} is of format ${manifest.format}`);
  return { manifest, arrays };
};
