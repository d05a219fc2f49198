/** The values of an enum or boolean field by number, for all segments of an index. Number 0 is missing. */
export class EnumDictionary {
  readonly #ids = new Map<string | boolean, number>();
  readonly values: (string | boolean)[] = [''];

  intern(value: string | boolean): number {
    const known = this.#ids.get(value);
    if (known !== undefined) return known;
    const id = this.values.push(value) - 1;
    this.#ids.set(value, id);
    return id;
  }

  find(value: string | boolean): number {
    return this.#ids.get(value) ?? 0;
  }

  /** Numbers go below this. */
  get size(): number {
    return this.values.length;
  }

  get bytes(): number {
    return this.values.reduce((sum, value) => sum + 80 + 2 * String(value).length, 0);
  }
}
