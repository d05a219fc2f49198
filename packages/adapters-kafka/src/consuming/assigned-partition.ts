import { OwnedPartition, type Delivered } from '@doska/core/kernel';
import { heldBytes } from './delivered.ts';

type Bound = { readonly recordsMax: number; readonly bytesMax: number };
type Needs = ConstructorParameters<typeof OwnedPartition>[0] & {
  readonly batch: Bound;
  readonly bufferBytesMax: number;
  /** Fetch no more for now; and again. */
  readonly pause: () => void;
  readonly resume: () => void;
};

/** A partition in the hands of this member, with what was fetched ahead for it. Fetching pauses when that is enough. */
export class AssignedPartition {
  readonly #owned: OwnedPartition;
  readonly #needs: Needs;
  #ahead: { readonly record: Delivered; readonly bytes: number }[] = [];
  #start = 0;
  #bytes = 0;
  #paused = false;
  /** Where the next fetch must go on. */
  next: number;
  /** A hole in the offsets was looked into and is harmless: compaction or a transaction's mark. */
  holeAllowed = false;

  constructor(needs: Needs, offset: number) {
    this.#needs = needs;
    this.#owned = new OwnedPartition({ ...needs, onFree: () => this.#free() }, offset);
    this.next = offset;
  }

  get token(): number {
    return this.#owned.token;
  }
  /** Behind the last record that was handled. */
  get offset(): number {
    return this.#owned.offset;
  }
  take(records: readonly Delivered[], next: number): void {
    for (const record of records) {
      const bytes = heldBytes(record);
      this.#ahead.push({ record, bytes });
      this.#bytes += bytes;
    }
    this.next = next;
    this.holeAllowed = false;
    if (this.#bytes >= this.#needs.bufferBytesMax) {
      this.#paused = true;
      this.#needs.pause();
    }
    this.#feed();
  }
  /** After a rebalance: the same place, and paused if it was. */
  stay(seek: (offset: number) => void): void {
    seek(this.next);
  }
  lose(): void {
    this.#owned.lose();
  }
  close(): Promise<void> {
    return this.#owned.close();
  }

  #free(): void {
    this.#feed();
    if (!this.#paused || this.#bytes > this.#needs.bufferBytesMax / 2) return;
    this.#paused = false;
    this.#needs.resume();
  }
  #feed(): void {
    if (!this.#owned.ready) return;
    this.#forgetHandled();
    const batch: Delivered[] = [];
    let bytes = 0;
    for (let at = this.#start; at < this.#ahead.length && batch.length < this.#needs.batch.recordsMax; at++) {
      const one = this.#ahead[at];
      if (!one || (batch.length > 0 && bytes + one.bytes > this.#needs.batch.bytesMax)) break;
      bytes += one.bytes;
      batch.push(one.record);
    }
    if (batch.length > 0) this.#owned.give(batch);
  }
  #forgetHandled(): void {
    for (let one = this.#ahead[this.#start]; one; one = this.#ahead[this.#start]) {
      if (one.record.position.offset >= this.#owned.offset) break;
      this.#bytes -= one.bytes;
      this.#start++;
    }
    if (this.#start === this.#ahead.length) {
      this.#ahead = [];
      this.#start = 0;
    }
  }
}
