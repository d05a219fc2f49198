import { ok, type ResultAsync } from 'neverthrow';
import type { Unavailable } from '../../../errors.ts';
import { sleep } from '../../../ports/clock.port.ts';
import { direct, type Env, type Io } from '../../io.ts';
import { FAULTS, type Scenario } from '../scenario.ts';

/** The durable half: what survives a crash of any process. */
export type OutboxServer = {
  nextSeq: number;
  readonly queue: Map<number, string>;
  readonly committed: Map<number, string>;
  readonly published: Set<number>;
};
export const outboxServer = (): OutboxServer => ({
  nextSeq: 1,
  queue: new Map(),
  committed: new Map(),
  published: new Set(),
});

type Row = { readonly seq: number; readonly event: string };
type Outbox = {
  readonly commit: (event: string) => ResultAsync<number, Unavailable>;
  readonly oldest: (limit: number) => ResultAsync<readonly Row[], Unavailable>;
  readonly publish: (row: Row) => ResultAsync<void, Unavailable>;
  readonly deleteExactly: (seqs: readonly number[]) => ResultAsync<void, Unavailable>;
  readonly deleteUpTo: (seq: number) => ResultAsync<void, Unavailable>;
};

/** The volatile half. A database takes a sequence number before the commit, hence two requests: the weakest real behaviour. */
export const inMemoryOutbox = (db: OutboxServer, io: Io = direct): Outbox => ({
  commit: (event) =>
    io({ name: 'outbox.insert', args: event }, () => ok(db.nextSeq++)).andThen((seq) =>
      io({ name: 'outbox.commit', args: { seq, event } }, () => {
        db.queue.set(seq, event);
        db.committed.set(seq, event);
        return ok(seq);
      }),
    ),
  oldest: (limit) =>
    io({ name: 'outbox.oldest', args: limit }, () => {
      const rows = [...db.queue].map(([seq, event]) => ({ seq, event }));
      return ok(rows.sort((a, b) => a.seq - b.seq).slice(0, limit));
    }),
  publish: (row) =>
    io({ name: 'log.publish', args: row.seq, lane: 'log', resendable: true }, () => {
      db.published.add(row.seq);
      return ok(undefined);
    }),
  deleteExactly: (seqs) =>
    io({ name: 'outbox.deleteExactly', args: seqs }, () => {
      for (const seq of seqs) db.queue.delete(seq);
      return ok(undefined);
    }),
  deleteUpTo: (max) =>
    io({ name: 'outbox.deleteUpTo', args: max }, () => {
      for (const seq of db.queue.keys()) if (seq <= max) db.queue.delete(seq);
      return ok(undefined);
    }),
});

const write = async (outbox: Outbox, { clock }: Env, events: readonly string[]): Promise<void> => {
  for (const event of events) while ((await outbox.commit(event)).isErr()) await sleep(clock, 50);
};

/** `range` is the planted bug: a row that was committed after `oldest` looked may have a smaller number. */
const exportForEver = async (outbox: Outbox, { clock }: Env, removal: Removal): Promise<void> => {
  for (;;) {
    const rows = (await outbox.oldest(3)).unwrapOr([]);
    const sent: number[] = [];
    for (const row of rows) if ((await outbox.publish(row)).isOk()) sent.push(row.seq);
    if (removal === 'range' && sent.length === rows.length) await outbox.deleteUpTo(sent.at(-1) ?? 0);
    if (removal === 'exact') await outbox.deleteExactly(sent);
    if (sent.length === 0) await sleep(clock, 100);
  }
};

export type Removal = 'range' | 'exact';
type Size = { readonly writers?: number; readonly events?: number; readonly wildSteps?: number };

/** Every committed event is queued or published, at every step; in the end all are published. */
export const outboxScenario = (
  removal: Removal,
  { writers = 3, events = 2, wildSteps = 150 }: Size = {},
): Scenario => ({
  faults: FAULTS,
  wildSteps,
  build: (world) => {
    const db = outboxServer();
    for (let w = 0; w < writers; w++) {
      const names = Array.from({ length: events }, (_, i) => `w${w}e${i}`);
      world.process(`writer${w}`, (env) => write(inMemoryOutbox(db, env.io), env, names));
    }
    world.process('exporter', (env) => exportForEver(inMemoryOutbox(db, env.io), env, removal));
    return {
      law: () => {
        for (const [seq, event] of db.committed) {
          if (!db.queue.has(seq) && !db.published.has(seq)) return `lost event: ${event} (seq ${seq})`;
        }
        return undefined;
      },
      done: () => new Set(db.committed.values()).size === writers * events && db.queue.size === 0,
    };
  },
});
