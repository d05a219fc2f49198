/** Random numbers for jitter and sampling. Not for secrets. */
export interface Random {
  /** Returns an integer from 0 to `n - 1`, evenly distributed. */
  below(n: number): number;
}
