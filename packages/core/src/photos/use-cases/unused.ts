import { err, ok, okAsync, ResultAsync, type Result } from 'neverthrow';
import {
  mapBounded,
  type Clock,
  type GenericStorage,
  type StoredValue,
  type Unavailable,
} from '../../kernel/index.ts';

const SPACE = 'photo-unused';
const PAGE = 1_000;
const PARALLEL = 4;
const NOTED = Uint8Array.of(1);
/** So many places of the queue within one grace time: what a whole feed lets go within hours is noted once. */
const STEPS = 24;
const DIGITS = 15;

export const UNUSED_KINDS = ['image', 'blob', 'offer'] as const;
export type UnusedKind = (typeof UNUSED_KINDS)[number];
/** Something that may be unused: its reader checks whether it is. */
export type Unused = { readonly kind: UnusedKind; readonly name: string };

/** What is to be looked at when its time has come, the earliest first. */
export interface UnusedQueue {
  /** Noted when this resolves, for after the grace time, or for now. Noting it again is the same. */
  note(one: Unused, when?: 'now'): ResultAsync<void, Unavailable>;
  /**
   * Looks at everything whose time has come; what `look` is done with leaves the queue. Tells how many were looked at; ends
   * early when `signal` aborts.
   */
  review(
    look: (one: Unused) => ResultAsync<'done' | 'later', Unavailable>,
    signal: AbortSignal,
  ): ResultAsync<number, Unavailable>;
}

type Needs = { readonly storage: GenericStorage; readonly clock: Clock; readonly graceMs: number };

const keyOf = (dueMs: number, { kind, name }: Unused): string =>
  `${String(dueMs).padStart(DIGITS, '0')}/${kind}/${name}`;
const parsed = (key: string): { readonly dueMs: number; readonly one: Unused } | undefined => {
  const [due, word, ...rest] = key.split('/');
  const kind = UNUSED_KINDS.find((known) => known === word);
  return kind && { dueMs: Number(due), one: { kind, name: rest.join('/') } };
};

export const makeUnusedQueue = ({ storage, clock, graceMs }: Needs): UnusedQueue => {
  const stepMs = Math.max(1, Math.floor(graceMs / STEPS));
  const lookAt = (
    { key, version }: StoredValue,
    one: Unused,
    look: (one: Unused) => ResultAsync<'done' | 'later', Unavailable>,
  ): ResultAsync<number, Unavailable> =>
    look(one)
      // What is wrong for good with one must not keep all others waiting.
      .orElse((error) => (error.retryable ? err(error) : ok('later' as const)))
      .andThen((seen) =>
        seen === 'later'
          ? ok(1)
          : storage
              .remove(SPACE, key, version)
              .map(() => 1)
              .orElse((error) => (error.kind === 'Unavailable' ? err(error) : ok(1))),
      );
  return {
    note: (one, when) => {
      const dueMs = when === 'now' ? clock.nowMs() : Math.ceil((clock.nowMs() + graceMs) / stepMs) * stepMs;
      return storage
        .put(SPACE, keyOf(dueMs, one), NOTED, 0)
        .map(() => undefined)
        .orElse((error) => (error.kind === 'Unavailable' ? err(error) : ok(undefined)));
    },
    review: (look, signal) => {
      const nowMs = clock.nowMs();
      const run = async (): Promise<Result<number, Unavailable>> => {
        let looked = 0;
        for (let after: string | undefined; ;) {
          const page = await storage.list(SPACE, { limit: PAGE, ...(after === undefined ? {} : { after }) });
          if (page.isErr()) return err(page.error);
          const due = page.value.flatMap((row) => {
            const place = parsed(row.key);
            return place && place.dueMs <= nowMs ? [{ row, one: place.one }] : [];
          });
          const seen = await mapBounded(due, PARALLEL, ({ row, one }) =>
            signal.aborted ? okAsync(0) : lookAt(row, one, look),
          );
          if (seen.isErr()) return err(seen.error);
          looked += seen.value.reduce((sum, one) => sum + one, 0);
          after = page.value.at(-1)?.key;
          if (due.length < PAGE || signal.aborted) return ok(looked);
        }
      };
      return new ResultAsync(run());
    },
  };
};
