import type { FieldValue } from '@doska/core/vasgen';

const PAGE_DOCUMENTS = 256;

/** Vectors in single precision, in pages that exist only where somebody has a vector; NaN in front is missing. */
export class VectorColumn {
  readonly kind = 'vector';
  readonly dimension: number;
  readonly pages: (Float32Array | undefined)[];

  constructor(dimension: number, pages: (Float32Array | undefined)[] = []) {
    this.dimension = dimension;
    this.pages = pages;
  }

  put(at: number, value: FieldValue | undefined): void {
    const number = Math.floor(at / PAGE_DOCUMENTS);
    if (value === undefined) return;
    const page = (this.pages[number] ??= new Float32Array(PAGE_DOCUMENTS * this.dimension).fill(Number.NaN));
    page.set(value as readonly number[], (at % PAGE_DOCUMENTS) * this.dimension);
  }
  valueAt(at: number): Float32Array | undefined {
    const page = this.pages[Math.floor(at / PAGE_DOCUMENTS)];
    const from = (at % PAGE_DOCUMENTS) * this.dimension;
    if (!page || Number.isNaN(page[from])) return undefined;
    return page.subarray(from, from + this.dimension);
  }
  has(at: number): boolean {
    return this.valueAt(at) !== undefined;
  }
  grow(): void {}
  seal(): void {}
  get bytes(): number {
    return this.pages.reduce((sum, page) => sum + (page?.byteLength ?? 0), 0);
  }
}
