import type { FieldValue } from '@doska/core/vasgen';

const PAGE_DOCUMENTS = 256;

/** Vectors in single precision, in pages: growing never copies. */
export class VectorColumn {
  readonly kind = 'vector';
  readonly dimension: number;
  readonly pages: Float32Array[];

  constructor(dimension: number, pages: Float32Array[] = []) {
    this.dimension = dimension;
    this.pages = pages;
  }

  put(at: number, value: FieldValue): void {
    const page = (this.pages[Math.floor(at / PAGE_DOCUMENTS)] ??= new Float32Array(
      PAGE_DOCUMENTS * this.dimension,
    ));
    page.set(value as readonly number[], (at % PAGE_DOCUMENTS) * this.dimension);
  }
  valueAt(at: number): Float32Array {
    const from = (at % PAGE_DOCUMENTS) * this.dimension;
    return this.pages[Math.floor(at / PAGE_DOCUMENTS)]!.subarray(from, from + this.dimension);
  }
  grow(): void {}
  /** The last page is cut to what is in use. */
  seal(count: number): void {
    const last = this.pages.length - 1;
    const used = (count - last * PAGE_DOCUMENTS) * this.dimension;
    this.pages[last] = this.pages[last]!.slice(0, used);
  }
  get bytes(): number {
    return this.pages.reduce((sum, page) => sum + page.byteLength, 0);
  }
}
