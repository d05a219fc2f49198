import type { FieldValue } from '@doska/core/vasgen';

/** Several values a document that hardly repeat, each once, as they are. */
export class StringsColumn {
  readonly kind = 'strings';
  readonly values: (readonly string[] | undefined)[];
  constructor(values: (readonly string[] | undefined)[] = []) {
    this.values = values;
  }

  put(at: number, value: FieldValue | undefined): void {
    const distinct = [...new Set((value as readonly string[] | undefined) ?? [])];
    this.values[at] = distinct.length === 0 ? undefined : distinct;
  }
  valueAt(at: number): readonly string[] | undefined {
    return this.values[at];
  }
  has(at: number): boolean {
    return this.values[at] !== undefined;
  }
  grow(): void {}
  seal(): void {}
  get bytes(): number {
    let bytes = 8 * this.values.length;
    for (const values of this.values) for (const value of values ?? []) bytes += 40 + 2 * value.length;
    return bytes;
  }
}
