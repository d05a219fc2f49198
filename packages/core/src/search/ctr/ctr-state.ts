/** A table and its contents. */
export type TableVersion = { readonly name: string; readonly version: string };
/** A complete load. Conversions use the rates of the current one. */
export type LoadedEpoch = {
  readonly epochMs: number;
  readonly table: TableVersion;
  readonly rows: number;
  readonly loadedAtMs: number;
  /** Documents with these rates are composed no earlier: after every document with the rates before. */
  readonly fromMs: number;
};
/** A load on its way: `rows` are stored, and `cursor` is where the table goes on; undefined at its end. */
export type Loading = {
  readonly epochMs: number;
  readonly table: TableVersion;
  readonly rows: number;
  readonly cursor: string | undefined;
  readonly touchedAtMs: number;
};
/** The last table that was refused. */
export type RefusedTable = TableVersion & {
  readonly line: number;
  readonly message: string;
  readonly atMs: number;
};
export type SeenTable = TableVersion & { readonly atMs: number };
export type CtrState = {
  readonly current: LoadedEpoch | undefined;
  readonly loading: Loading | undefined;
  /** Epochs that were current, until they are deleted. */
  readonly retired: readonly { readonly epochMs: number; readonly atMs: number }[];
  readonly refused: RefusedTable | undefined;
  /** The last table of the source that was loaded or refused. Neither it nor an older one is loaded again. */
  readonly seen: SeenTable | undefined;
  /** The highest epoch that a load ever had. An epoch is never used again: rates of a given up load may be in it. */
  readonly lastEpochMs: number;
  /** No document was composed later than this. A process raises it before it composes a later one, whatever its clock shows. */
  readonly composedUpToMs: number;
};
export const noLoads: CtrState = {
  current: undefined,
  loading: undefined,
  retired: [],
  refused: undefined,
  seen: undefined,
  lastEpochMs: 0,
  composedUpToMs: 0,
};

export const isSameTable = (one: TableVersion | undefined, other: TableVersion): boolean =>
  one?.name === other.name && one.version === other.version;

/** Whether a table of the source was not decided on yet. A table that callers sent stays until a newer one comes. */
export const isNewTable = ({ seen }: CtrState, table: SeenTable): boolean =>
  !seen || (table.atMs >= seen.atMs && !isSameTable(seen, table));
export const withSeen = (state: CtrState, { name, version, atMs }: SeenTable): CtrState => ({
  ...state,
  seen: { name, version, atMs },
});

/** Begins a load in an epoch above every earlier one. The load before it is given up; its rates were never used. */
export const begun = (state: CtrState, { name, version }: TableVersion, nowMs: number): CtrState => {
  const epochMs = Math.max(nowMs, state.lastEpochMs + 1);
  const table = { name, version };
  return {
    ...state,
    loading: { epochMs, table, rows: 0, cursor: '', touchedAtMs: nowMs },
    lastEpochMs: epochMs,
  };
};
export const advanced = (
  state: CtrState,
  loading: Loading,
  { rows, cursor }: Pick<Loading, 'rows' | 'cursor'>,
  nowMs: number,
): CtrState => ({
  ...state,
  loading: { ...loading, rows: loading.rows + rows, cursor, touchedAtMs: nowMs },
});
/** Receivers refuse documents that are composed further ahead of their clock. So these need not be outdone. */
const AHEAD_MAX_MS = 240_000;
/** The load is complete: its rates are used from now on, in documents that are fresher than all before. */
export const switched = (state: CtrState, { epochMs, table, rows }: Loading, nowMs: number): CtrState => ({
  ...state,
  current: {
    epochMs,
    table,
    rows,
    loadedAtMs: nowMs,
    fromMs: Math.max(epochMs, Math.min(state.composedUpToMs + 1, nowMs + AHEAD_MAX_MS)),
  },
  loading: undefined,
  retired: [...state.retired, ...(state.current ? [{ epochMs: state.current.epochMs, atMs: nowMs }] : [])],
  refused: undefined,
});
/** Nothing of the table is used. */
export const refused = (state: CtrState, table: RefusedTable): CtrState => ({
  ...state,
  loading: undefined,
  refused: table,
});

/**
 * Whether the rates of an epoch may be deleted. Epochs above the current one may belong to a load that began after the
 * state was read. One that was current is kept until no conversion can read it any more.
 */
export const isPurgeable = (state: CtrState, epochMs: number, nowMs: number, graceMs: number): boolean => {
  if (!state.current || epochMs >= state.current.epochMs || epochMs === state.loading?.epochMs) return false;
  const retired = state.retired.find((one) => one.epochMs === epochMs);
  return !retired || nowMs >= retired.atMs + graceMs;
};
export const purged = (state: CtrState, epochs: readonly number[]): CtrState => ({
  ...state,
  retired: state.retired.filter(({ epochMs }) => !epochs.includes(epochMs)),
});

export const raisedTo = (state: CtrState, composedUpToMs: number): CtrState => ({
  ...state,
  composedUpToMs: Math.max(state.composedUpToMs, composedUpToMs),
});
/** Whether both differ in nothing but the moment up to which documents are composed. */
export const isSameLoads = (one: CtrState, other: CtrState): boolean => {
  const text = (state: CtrState): string => JSON.stringify({ ...state, composedUpToMs: 0 });
  return text(one) === text(other);
};
