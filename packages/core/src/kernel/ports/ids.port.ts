/** Names that nobody else has: member ids, command ids, incarnations. */
export interface Ids {
  /** A fresh id, unique over processes and restarts. */
  next(): string;
}
