import { err, ok, type Result, type ResultAsync } from 'neverthrow';
import type { Position, Unavailable } from '../../kernel/index.ts';
import { direct, type Io } from '../../kernel/testing/io.ts';
import { DigestParts, documentHash, partOfHash } from '../document/digest.ts';
import type { Analyzer } from '../engine/analyzer.port.ts';
import { checkDigest, checkPlaces, checkWords } from '../engine/check-places.ts';
import { checkPlan } from '../engine/check-plan.ts';
import { checkSchema } from '../engine/index-schema.ts';
import { coversSchema, grownSchema } from '../engine/schema-growth.ts';
import type {
  DocumentPlace,
  FeedProgress,
  IndexInfo,
  IndexSpec,
  NoIndex,
  RebuildMoved,
  SearchEngine,
  Where,
} from '../engine/search-engine.port.ts';
import type { IndexName, ServingName } from '../engine/index-name.ts';
import {
  applyTo,
  documentsOf,
  emptyIndex,
  type ReferenceIndex,
  type ReferenceRow,
} from './reference-index.ts';
import { referenceExplanation } from './reference-explanation.ts';
import { referenceQuery } from './reference-query.ts';
import { referenceWords } from './reference-words.ts';

type Snapshot = {
  readonly analyzer: string;
  readonly spec: IndexSpec;
  readonly rows: ReadonlyMap<string, ReferenceRow>;
  readonly positions: ReadonlyMap<string, Position>;
};

/** The durable half: what a folder holds when its engine dies. Everything younger than a snapshot is lost. */
export type MemoryEngineServer = {
  readonly snapshots: Map<IndexName, Snapshot>;
  readonly serving: Map<ServingName, IndexName>;
  /** Engines that were opened on it. Only the last one may write: a folder belongs to one engine. */
  lives: number;
};
export const memoryEngineServer = (): MemoryEngineServer => ({
  snapshots: new Map(),
  serving: new Map(),
  lives: 0,
});

export type InMemoryEngineOptions = {
  readonly analyzer: Analyzer;
  readonly server: MemoryEngineServer;
  readonly io?: Io;
  /** Changes after which an index takes a snapshot by itself, in a step of its own. */
  readonly snapshotChanges?: number;
};
export interface InMemoryEngine extends SearchEngine {
  /** Afterwards everything that is applied now outlives the engine. */
  snapshot(index: IndexName): ResultAsync<void, NoIndex | Unavailable>;
  /** What is alive now, without a step: for the laws of a simulation. */
  living(index: IndexName): readonly DocumentPlace[];
  /** What is alive or deleted now, without a step. */
  known(index: IndexName): readonly DocumentPlace[];
}

type Opened = ReferenceIndex & { changes: number };

/** An engine as it is after opening: with what the snapshots hold. Restart = another one on the same server. */
export const inMemoryEngine = ({
  analyzer,
  server,
  io = direct,
  snapshotChanges = Infinity,
}: InMemoryEngineOptions): InMemoryEngine => {
  const life = ++server.lives;
  const indexes = new Map<string, Opened>();
  for (const { analyzer: built, spec, rows, positions } of server.snapshots.values())
    if (built === analyzer.id)
      indexes.set(spec.name, {
        ...emptyIndex(spec),
        rows: new Map(rows),
        positions: new Map(positions),
        changes: 0,
      });

  const find = (name: string | undefined, asked = name): Result<Opened, NoIndex> => {
    const index = name === undefined ? undefined : indexes.get(name);
    if (index) return ok(index);
    const built = server.snapshots.get(name as IndexName)?.analyzer;
    if (built !== undefined && built !== analyzer.id)
      return err({ kind: 'OtherAnalyzer', name: name as IndexName, built, present: analyzer.id });
    return err({ kind: 'UnknownIndex', name: asked! });
  };
  const asked = (where: Where): Result<Opened, NoIndex> =>
    'index' in where ? find(where.index) : find(server.serving.get(where.serving), where.serving);
  const save = (index: Opened): void => {
    index.changes = 0;
    if (life !== server.lives) return;
    server.snapshots.set(index.spec.name, {
      analyzer: analyzer.id,
      spec: index.spec,
      rows: new Map([...index.rows].map(([pk, { old: _, ...row }]) => [pk, row])),
      positions: new Map(index.positions),
    });
  };
  const note = (index: Opened, { positions = [], caughtUp }: FeedProgress): void => {
    for (const position of positions)
      index.positions.set(`${position.topic}/${position.partition}`, position);
    index.caughtUp = caughtUp ?? index.caughtUp;
  };
  const snapshot = (name: IndexName): ResultAsync<void, NoIndex | Unavailable> =>
    io({ name: 'engine.snapshot', args: name }, () => find(name).map(save));
  const infoOf = (index: Opened): IndexInfo => {
    const documents = documentsOf(index).length;
    return {
      ...index.spec,
      serving: [...server.serving].filter(([, to]) => to === index.spec.name).map(([name]) => name),
      documents,
      tombstones: index.rows.size - documents,
      bytes: 0,
      bytesPerDocument: 0,
      positions: [...index.positions.values()],
      caughtUp: index.caughtUp,
      rebuild: index.rebuild,
    };
  };
  const moved = ({ spec: { name }, rebuild: present }: Opened, rebuild: number): RebuildMoved => ({
    kind: 'RebuildMoved',
    name,
    rebuild,
    present,
  });
  const lane = (name: IndexName): string => `engine/${name}`;

  return {
    snapshot,
    living: (name) => {
      const index = indexes.get(name);
      return index ? documentsOf(index).map(({ pk, freshness }) => ({ pk, freshness })) : [];
    },
    known: (name) => [...(indexes.get(name)?.rows ?? [])].map(([pk, { freshness }]) => ({ pk, freshness })),
    create: (spec) =>
      io({ name: 'engine.create', args: spec.name, lane: lane(spec.name) }, () => {
        const before = find(spec.name);
        if (before.isOk())
          return before.value.spec.epoch === spec.epoch && coversSchema(before.value.spec.schema, spec.schema)
            ? ok(undefined)
            : err({ kind: 'IndexExists' as const, name: spec.name });
        if (before.error.kind === 'OtherAnalyzer') return err(before.error);
        return checkSchema(spec.schema).map(() => {
          const index = { ...emptyIndex(spec), changes: 0 };
          indexes.set(spec.name, index);
          save(index);
        });
      }),
    extend: (name, schema) =>
      io({ name: 'engine.extend', args: name, lane: lane(name), resendable: true }, () =>
        find(name).andThen((index) =>
          grownSchema(index.spec.schema, schema).map((grown) => {
            index.spec = { ...index.spec, schema: grown };
          }),
        ),
      ),
    drop: (name) =>
      io({ name: 'engine.drop', args: name, lane: lane(name) }, () => {
        for (const [serving, to] of server.serving)
          if (to === name) return err({ kind: 'IndexServes' as const, name, serving });
        indexes.delete(name);
        server.snapshots.delete(name);
        return ok(undefined);
      }),
    serve: (serving, to, { from } = {}) =>
      io({ name: 'engine.serve', args: { serving, to, from } }, () => {
        const found = find(to);
        if (found.isErr()) return err(found.error);
        const actual = server.serving.get(serving);
        if (from !== undefined && (from ?? undefined) !== actual)
          return err({ kind: 'ServingMoved' as const, serving, ...(actual ? { actual } : {}) });
        server.serving.set(serving, to);
        return ok(undefined);
      }),
    indexes: () => io({ name: 'engine.indexes' }, () => ok([...indexes.values()].map(infoOf))),
    apply: (name, changes, progress = {}) =>
      io(
        { name: 'engine.apply', args: { name, changes, progress }, lane: lane(name), resendable: true },
        () =>
          find(name).map((index) => {
            const verdicts = changes.map((change) => applyTo(index, analyzer, change));
            if (verdicts.every(({ kind }) => kind !== 'invalid')) note(index, progress);
            index.changes += changes.length;
            return verdicts;
          }),
      ).andTee(() => {
        const index = indexes.get(name);
        if (index && index.changes >= snapshotChanges) void snapshot(name);
      }),
    renew: (name, rebuild) =>
      io({ name: 'engine.renew', args: { name, rebuild }, lane: lane(name) }, () =>
        find(name).andThen((index) => {
          if (rebuild !== index.rebuild + 1) return err(moved(index, rebuild));
          for (const [pk, row] of index.rows) index.rows.set(pk, { ...row, old: true });
          index.rebuild = rebuild;
          index.positions.clear();
          index.caughtUp = false;
          return ok(undefined);
        }),
      ),
    sweep: (name, rebuild) =>
      io({ name: 'engine.sweep', args: { name, rebuild }, lane: lane(name) }, () =>
        find(name).andThen((index) => {
          if (rebuild !== index.rebuild) return err(moved(index, rebuild));
          const old = [...index.rows].filter(([, row]) => row.old);
          for (const [pk] of old) index.rows.delete(pk);
          if (old.length > 0) index.generation++;
          return ok(old.filter(([, { document }]) => document !== undefined).length);
        }),
      ),
    flush: (name) => io({ name: 'engine.flush', args: name }, () => find(name).map(() => undefined)),
    execute: (where, plan) =>
      io({ name: 'engine.execute', args: { where, plan } }, () => {
        return asked(where)
          .andThen((index) => checkPlan(index.spec.schema, plan).map(() => index))
          .map((index) => ({
            ...referenceQuery(documentsOf(index), analyzer, plan),
            generation: index.generation,
          }));
      }),
    explain: (where, plan, pk) =>
      io({ name: 'engine.explain', args: { where, plan, pk } }, () =>
        asked(where)
          .andThen((index) => checkPlan(index.spec.schema, plan).map(() => index))
          .map((index) => referenceExplanation(index, analyzer, plan, pk)),
      ),
    look: (name, pks) =>
      io({ name: 'engine.look', args: { name, pks } }, () =>
        find(name).map(({ rows }) =>
          pks.map((pk) => {
            const row = rows.get(pk);
            if (!row) return { pk, state: 'unknown' as const };
            const state = row.document ? ('alive' as const) : ('tombstone' as const);
            return { pk, state, freshness: row.freshness };
          }),
        ),
      ),
    digest: (name, plan) =>
      io({ name: 'engine.digest', args: { name, plan } }, () =>
        checkDigest(plan)
          .andThen(() => find(name))
          .map((index) => {
            const parts = new DigestParts(plan.parts, plan.over);
            for (const { pk, freshness } of documentsOf(index)) parts.add(pk, freshness);
            return parts.result();
          }),
      ),
    places: (name, plan) =>
      io({ name: 'engine.places', args: { name, plan } }, () =>
        checkPlaces(plan)
          .andThen(() => find(name))
          .map((index) =>
            documentsOf(index)
              .filter(({ pk }) => partOfHash(documentHash(pk), plan.parts) === plan.part)
              .filter(({ pk }) => plan.after === undefined || pk > plan.after)
              .sort((a, b) => (a.pk < b.pk ? -1 : 1))
              .slice(0, plan.limit)
              .map(({ pk, freshness }) => ({ pk, freshness })),
          ),
      ),
    words: (where, plan) =>
      io({ name: 'engine.words', args: { where, plan } }, () =>
        checkWords(plan)
          .andThen(() => asked(where))
          .map((index) => referenceWords(index.spec.schema, documentsOf(index), analyzer, plan)),
      ),
    close: async () => indexes.clear(),
  };
};
