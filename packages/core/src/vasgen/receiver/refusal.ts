/** A document that was refused, without its body. */
export type Refusal = {
  readonly pk: string;
  readonly epoch: number;
  readonly version: number;
  readonly timestampMs: number;
  readonly verdict: 'invalid' | 'too_old' | 'unknown_epoch';
  /** What was wrong, in words; cut to 1000 characters. */
  readonly reason: string;
  readonly atMs: number;
};
