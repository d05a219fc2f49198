import { mkdir, readdir } from 'node:fs/promises';
import type { IndexName, ServingName } from '@doska/core/vasgen';
import { readSections, syncFolder, writeSections } from '../snapshot/sectioned-file.ts';

const FILE = 'serving.bin';

/** Which index answers to which name. On the disk before it is true in memory, so that a restart serves the same. */
export class ServingNames {
  readonly #folder: string | undefined;
  #names = new Map<ServingName, IndexName>();
  #last: Promise<void> = Promise.resolve();

  constructor(folder: string | undefined) {
    this.#folder = folder;
  }

  /** False: the file is damaged, so nothing serves until `serve` is called. */
  async load(): Promise<boolean> {
    if (this.#folder === undefined || !(await readdir(this.#folder)).includes(FILE)) return true;
    try {
      const { meta } = await readSections(this.#folder, FILE);
      this.#names = new Map(meta as [ServingName, IndexName][]);
      return true;
    } catch {
      return false;
    }
  }

  get(name: ServingName): IndexName | undefined {
    return this.#names.get(name);
  }

  of(index: IndexName): readonly ServingName[] {
    return [...this.#names].filter(([, to]) => to === index).map(([name]) => name);
  }

  /** One after another: nothing is switched or dropped while `work` runs. */
  async alone<T>(work: () => Promise<T>): Promise<T> {
    const before = this.#last;
    let finish: () => void = () => undefined;
    this.#last = new Promise((resolve) => (finish = resolve));
    await before;
    try {
      return await work();
    } finally {
      finish();
    }
  }

  /** `may` looks at what the name serves at that very moment; false: it may not, and nothing was switched. */
  move(name: ServingName, to: IndexName, may: (actual: IndexName | undefined) => boolean): Promise<boolean> {
    return this.alone(async () => {
      if (!may(this.#names.get(name))) return false;
      const next = new Map(this.#names).set(name, to);
      if (this.#folder !== undefined) {
        await mkdir(this.#folder, { recursive: true, mode: 0o700 });
        await writeSections(this.#folder, FILE, [...next], []);
        await syncFolder(this.#folder);
      }
      this.#names = next;
      return true;
    });
  }
}
