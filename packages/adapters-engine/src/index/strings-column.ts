import type { FieldValue } from '@doska/core/vasgen';

/** Several values a document that hardly repeat, each once, as they are. */
export class StringsColumn {
  readonly kind = 'strings';
  readonly values: (readonly string[])[];
  constructor(values: (readonly string[])[] = []) {
    this.values = values;
  }

  put(at: number, value: FieldValue): void {
    this.values[at] = [...new Set(value as readonly string[])];
  }
  valueAt(at: number): readonly string[] {
    return this.values[at]!;
  }
  grow(): void {}
  seal(): void {}
  get bytes(): number {
    let bytes = 8 * this.values.length;
    for (const values of this.values) for (const value of values) bytes += 40 + 2 * value.length;
    return bytes;
  }
}
