/** Some milliseconds of a statement, whose limit is seconds. */
export const SLICE_ROWS = 10_000;

/**
 * Reads a large set slice after slice, each behind the last key of the one before: one statement over all of it could exceed
 * the time limit of a statement.
 */
export const inSlices = async <Place>(
  limit: number,
  first: Place,
  read: (
    place: Place,
    limit: number,
  ) => Promise<{ readonly counted: number; readonly last: Place | undefined }>,
): Promise<void> => {
  for (let place: Place | undefined = first; place !== undefined;) {
    const { counted, last }: { counted: number; last: Place | undefined } = await read(place, limit);
    place = counted < limit ? undefined : last;
  }
};
