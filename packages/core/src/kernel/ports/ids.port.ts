/** Makes unique ids: for members, commands and topic incarnations. */
export interface Ids {
  /** Returns a new id, unique across processes and restarts. */
  next(): string;
}
