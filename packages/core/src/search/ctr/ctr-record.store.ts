import { err, ok, ResultAsync, type Result } from 'neverthrow';
import { unavailable, type GenericStorage, type Unavailable } from '../../kernel/index.ts';
import { isSameLoads, noLoads, type CtrState } from './ctr-state.ts';

/** Another process has changed the state since it was read. */
export type StateMoved = { readonly kind: 'StateMoved' };
export type KeptState = { readonly state: CtrState; readonly version: number };
/** The state of the loads. It changes by compare-and-set only. */
export type CtrRecord = {
  read(): ResultAsync<KeptState, Unavailable>;
  /** Changes the state that was read. That documents are composed up to a later moment meanwhile is no conflict. */
  write(
    kept: KeptState,
    change: (state: CtrState) => CtrState,
  ): ResultAsync<KeptState, StateMoved | Unavailable>;
};
/** An hourly table that is in the queue. */
export type HourlyLoad = { readonly table: string; readonly offers: number; readonly loadedAtMs: number };
/** The hourly tables of the last days. */
export type HourlyRecord = {
  has(table: string): ResultAsync<boolean, Unavailable>;
  add(load: HourlyLoad): ResultAsync<void, Unavailable>;
  list(): ResultAsync<readonly HourlyLoad[], Unavailable>;
  /** Forgets tables that were loaded before this moment. */
  forget(beforeMs: number): ResultAsync<number, Unavailable>;
};

const STATE_SPACE = 'search.ctr';
const STATE_KEY = 'loads';
const HOURLY_SPACE = 'search.ctr-hourly';
const PAGE = 1_000;
const ATTEMPTS_MAX = 5;

const toBytes = (value: unknown): Uint8Array => new TextEncoder().encode(JSON.stringify(value));
const fromBytes = <T>(value: Uint8Array): T => JSON.parse(new TextDecoder().decode(value)) as T;

/** A state as it was stored, also by an older version of this program. */
const stateOf = (stored: Uint8Array): CtrState => {
  const state = { ...noLoads, ...fromBytes<Partial<CtrState>>(stored) };
  const { current } = state;
  return current ? { ...state, current: Object.assign({ fromMs: current.epochMs }, current) } : state;
};
export const ctrRecord = (storage: GenericStorage): CtrRecord => {
  const read = (): ResultAsync<KeptState, Unavailable> =>
    storage.get(STATE_SPACE, [STATE_KEY]).map(([found]) => ({
      state: found ? stateOf(found.value) : noLoads,
      version: found?.version ?? 0,
    }));
  const write = async (
    kept: KeptState,
    change: (state: CtrState) => CtrState,
  ): Promise<Result<KeptState, StateMoved | Unavailable>> => {
    let at = kept;
    for (let attempt = 1; attempt <= ATTEMPTS_MAX; attempt++) {
      const state = change(at.state);
      const written = await storage.put(STATE_SPACE, STATE_KEY, toBytes(state), at.version);
      if (written.isOk()) return ok({ state, version: written.value });
      const { error } = written;
      if (error.kind === 'Unavailable') return err(error);
      if (error.kind !== 'VersionConflict') return err(unavailable('the state of click rates', error, false));
      const again = await read();
      if (again.isErr()) return err(again.error);
      if (!isSameLoads(again.value.state, kept.state)) break;
      at = again.value;
    }
    return err({ kind: 'StateMoved' });
  };
  return { read, write: (kept, change) => new ResultAsync(write(kept, change)) };
};

export const hourlyRecord = (storage: GenericStorage): HourlyRecord => {
  const each = async (
    visit: (load: HourlyLoad, version: number) => ResultAsync<unknown, Unavailable>,
  ): Promise<Result<void, Unavailable>> => {
    for (let after: string | undefined; ;) {
      const page = await storage.list(HOURLY_SPACE, {
        limit: PAGE,
        ...(after === undefined ? {} : { after }),
      });
      if (page.isErr()) return err(page.error);
      for (const { value, version } of page.value) {
        const visited = await visit(fromBytes<HourlyLoad>(value), version);
        if (visited.isErr()) return err(visited.error);
      }
      if (page.value.length < PAGE) return ok(undefined);
      after = page.value.at(-1)!.key;
    }
  };
  return {
    has: (table) => storage.get(HOURLY_SPACE, [table]).map((found) => found.length > 0),
    add: (load) =>
      storage
        .put(HOURLY_SPACE, load.table, toBytes(load), 0)
        .map(() => undefined)
        .orElse((error) => {
          // Another process has loaded the same table: then it is remembered.
          if (error.kind === 'VersionConflict') return ok(undefined);
          return err(error.kind === 'Unavailable' ? error : unavailable('an hourly table', error, false));
        }),
    list: () => {
      const all: HourlyLoad[] = [];
      return new ResultAsync(
        each((load) => ResultAsync.fromSafePromise(Promise.resolve(all.push(load)))),
      ).map(() => all);
    },
    forget: (beforeMs) => {
      let forgotten = 0;
      const visit = (load: HourlyLoad, version: number): ResultAsync<void, Unavailable> => {
        if (load.loadedAtMs >= beforeMs) return ResultAsync.fromSafePromise(Promise.resolve());
        return storage
          .remove(HOURLY_SPACE, load.table, version)
          .map(() => void forgotten++)
          .orElse((error) => (error.kind === 'VersionConflict' ? ok(undefined) : err(error)));
      };
      return new ResultAsync(each(visit)).map(() => forgotten);
    },
  };
};
