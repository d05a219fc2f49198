import { cutTo } from './text-width.ts';

/** How far a long work is. `total` may be unknown. */
export type Progress = {
  at(done: number, total?: number): void;
  /** Takes the bar away. Call it before the answer is printed. */
  end(): void;
};
type Stream = { readonly isTTY?: boolean; readonly columns?: number; write(text: string): unknown };
export type ProgressOptions = {
  readonly stream: Stream;
  readonly nowMs: () => number;
  /** What is counted: "offers". */
  readonly unit: string;
};

const BAR = 30;
/** A terminal is drawn this often at most. */
const DRAW_MS = 100;
/** A file or a log gets a line this often. */
const LINE_MS = 5_000;
const CLEAR = '\r\u001b[2K';

const barOf = (done: number, total: number): string => {
  const full = Math.min(BAR, Math.floor((BAR * done) / Math.max(1, total)));
  return `[${'#'.repeat(full)}${'.'.repeat(BAR - full)}] ${Math.min(100, Math.floor((100 * done) / Math.max(1, total)))} %`;
};
const wordsOf = (unit: string, done: number, total: number | undefined, ms: number): string => {
  const count = total === undefined ? `${done} ${unit}` : `${done} of ${total} ${unit}`;
  const rate = ms >= 1_000 ? `, ${Math.round((done * 1_000) / ms)} a second` : '';
  return `${count}${rate}`;
};

/** A bar on a terminal, a line each few seconds elsewhere. It writes to stderr, so the answer on stdout stays clean. */
export const makeProgress = ({ stream, nowMs, unit }: ProgressOptions): Progress => {
  const beganMs = nowMs();
  const isTerminal = stream.isTTY === true;
  let shownMs = isTerminal ? Number.NEGATIVE_INFINITY : beganMs;
  let isDrawn = false;
  return {
    at: (done, total) => {
      const now = nowMs();
      if (now - shownMs < (isTerminal ? DRAW_MS : LINE_MS)) return;
      shownMs = now;
      const words = wordsOf(unit, done, total, now - beganMs);
      if (!isTerminal) return void stream.write(`${words}\n`);
      isDrawn = true;
      const line = total === undefined ? words : `${barOf(done, total)}  ${words}`;
      stream.write(`${CLEAR}${cutTo(line, (stream.columns ?? 80) - 1)}`);
    },
    end: () => {
      if (isDrawn) stream.write(CLEAR);
      isDrawn = false;
    },
  };
};
