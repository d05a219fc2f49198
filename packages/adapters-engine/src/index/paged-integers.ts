const PAGE_BITS = 14;
const PAGE = 1 << PAGE_BITS;

/** Whole numbers by a dense key, zero until set. Grows by a page, so growing never copies. */
export class PagedIntegers {
  readonly #pages: (Int32Array | undefined)[] = [];

  get(key: number): number {
    const page = this.#pages[key >>> PAGE_BITS];
    return page === undefined ? 0 : page[key & (PAGE - 1)]!;
  }

  set(key: number, value: number): void {
    (this.#pages[key >>> PAGE_BITS] ??= new Int32Array(PAGE))[key & (PAGE - 1)] = value;
  }

  add(key: number, more: number): void {
    (this.#pages[key >>> PAGE_BITS] ??= new Int32Array(PAGE))[key & (PAGE - 1)]! += more;
  }

  get bytes(): number {
    return this.#pages.reduce((sum, page) => sum + (page?.byteLength ?? 0), 0);
  }
}
