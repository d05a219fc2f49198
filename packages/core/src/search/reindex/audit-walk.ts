/** How far an audit is on its way through all offers and documents. */
export type AuditWalk = {
  readonly epoch: number;
  readonly cursor: string;
  readonly startedAtMs: number;
  readonly slices: number;
  readonly differences: number;
};
export type AuditState = {
  readonly walk: AuditWalk | undefined;
  /** The walk before: its length sets the pace of this one. */
  readonly last:
    { readonly slices: number; readonly differences: number; readonly finishedAtMs: number } | undefined;
};
export const noAudit: AuditState = { walk: undefined, last: undefined };

export type AuditPace = {
  /** The time between two runs of the job. */
  readonly everyMs: number;
  /** A walk through everything takes so long. */
  readonly walkMs: number;
};
/** A run does not take longer than its turn. */
const SLICES_MAX = 200;

/** How many slices a run does, so that the walk ends in time. Without a walk before, or behind its length: one. */
export const slicesDue = (
  { walk, last }: AuditState,
  { everyMs, walkMs }: AuditPace,
  nowMs: number,
): number => {
  if (!walk || !last || walk.slices >= last.slices) return 1;
  const share = Math.min(1, Math.max(0, (nowMs - walk.startedAtMs + everyMs) / walkMs));
  return Math.min(SLICES_MAX, Math.max(0, Math.ceil(last.slices * share) - walk.slices));
};
export const begunWalk = (state: AuditState, epoch: number, nowMs: number): AuditState => ({
  ...state,
  walk: { epoch, cursor: '', startedAtMs: nowMs, slices: 0, differences: 0 },
});
/** One slice further; an empty cursor is the end of the walk. */
export const walked = (
  state: AuditState,
  walk: AuditWalk,
  slice: { readonly nextCursor: string; readonly differences: number },
  nowMs: number,
): AuditState => {
  const slices = walk.slices + 1;
  const differences = walk.differences + slice.differences;
  return slice.nextCursor === ''
    ? { walk: undefined, last: { slices, differences, finishedAtMs: nowMs } }
    : { ...state, walk: { ...walk, cursor: slice.nextCursor, slices, differences } };
};
