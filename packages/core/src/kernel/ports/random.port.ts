/** Chance, for jitter and sampling. Not for secrets. */
export interface Random {
  /** An integer from 0 to `n - 1`, evenly. */
  below(n: number): number;
}
