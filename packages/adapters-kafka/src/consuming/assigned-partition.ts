import { OwnedPartition, type Delivered } from '@doska/core/kernel';
import { heldBytes } from './delivered.ts';

type Bound = { readonly recordsMax: number; readonly bytesMax: number };
type Needs = ConstructorParameters<typeof OwnedPartition>[0] & {
  readonly batch: Bound;
  readonly bufferBytesMax: number;
  /** Pause and resume fetching. */
  readonly pause: () => void;
  readonly resume: () => void;
};

/** A partition assigned to this member, with its prefetched records. Fetching pauses when the buffer is full. */
export class AssignedPartition {
  readonly #owned: OwnedPartition;
  readonly #needs: Needs;
  #ahead: { readonly record: Delivered; readonly bytes: number }[] = [];
  #start = 0;
  #bytes = 0;
  #paused = false;
  /** The offset at which the next fetch must continue. */
  next: number;
  /** The gap in the offsets was checked and is harmless: compaction or a transaction marker. */
  holeAllowed = false;

  constructor(needs: Needs, offset: number) {
    this.#needs = needs;
    this.#owned = new OwnedPartition({ ...needs, onFree: () => this.#free() }, offset);
    this.next = offset;
  }

  get token(): number {
    return this.#owned.token;
  }
  /** The offset after the last handled record. */
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
  /** After a rebalance: seeks to the same offset and restores the pause. */
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
