/** Rows that one statement counts. A count of millions in one statement runs into the time limit of an operation. */
export const COUNTED_AT_ONCE = 20_000;
type Slice = { readonly n: number; readonly last: string | undefined };

/** The sum over slices, each of which begins behind the last row of the one before. */
export const countSlices = async (slice: (after: string) => Promise<Slice | undefined>): Promise<number> => {
  let count = 0;
  for (let after: string | undefined = ''; after !== undefined;) {
    const found: Slice | undefined = await slice(after);
    count += found?.n ?? 0;
    after = found?.last;
  }
  return count;
};
