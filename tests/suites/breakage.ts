/** One promise broken on purpose, and the tests of the suite that must notice. */
export type Breakage<Adapter> = {
  readonly name: string;
  readonly noticedBy: readonly string[];
  readonly broken: (right: Adapter) => Adapter;
};

/** The adapter as it should be, under the same tests: what fails there proves nothing. */
export const RIGHT = 'the right one';
