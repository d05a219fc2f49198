import { chmodSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, beforeEach, expect } from 'vitest';
import {
  startEmbeddedPostgres,
  type EmbeddedOptions,
  type EmbeddedPostgres,
  type EmbeddedProblem,
} from '@doska/adapters-pg/embedded';
import { compileStarter, processesOn, runStarter, scratch, type Starter, type Uid } from './starter.ts';

/** One test's folder and the ways to start a server on it. Everything started ends with its test. */
export type Bench = {
  /** Shared by the tests of a file; the spare folders are in its `spare`. */
  readonly base: string;
  /** This test's own folder: the "project". */
  readonly at: string;
  started(more?: Partial<EmbeddedOptions>): Promise<EmbeddedPostgres>;
  refused(more?: Partial<EmbeddedOptions>): Promise<EmbeddedProblem>;
  /** The same in a process of its own, which can be killed or be another user. */
  inProcess(more?: Partial<EmbeddedOptions>, as?: Uid): Promise<Starter>;
};

export const eventually = async (isSo: () => boolean, ms = 10_000): Promise<boolean> => {
  for (const until = Date.now() + ms; Date.now() < until; await pause(20)) if (isSo()) return true;
  return isSo();
};

export const query = async <T extends object>(url: string, sql: string): Promise<T[]> => {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<T>(sql)).rows;
  } finally {
    await client.end();
  }
};

/** Registers the hooks of a test file and gives it its bench. */
export const useBench = (): Bench => {
  let base = '';
  let remove = (): void => {};
  let program = '';
  let at = '';
  let count = 0;
  let running: { stop(): Promise<void> }[] = [];
  const options = (more: Partial<EmbeddedOptions> = {}): EmbeddedOptions => ({
    dataDir: join(at, 'data'),
    projectRoot: at,
    spareRoot: join(base, 'spare'),
    settings: { fsync: 'off' },
    ...more,
  });
  const keep = <T extends { stop(): Promise<void> }>(one: T): T => (running.push(one), one);
  // Not earlier: a file whose tests are all filtered out runs no hooks, hence would never remove its folder.
  beforeAll(() => {
    ({ dir: base, remove } = scratch());
    program = compileStarter(base);
    mkdirSync(join(base, 'spare'));
    chmodSync(join(base, 'spare'), 0o1777);
  });
  beforeEach(() => {
    at = join(base, `case-${++count}`);
    mkdirSync(at);
  });
  afterEach(async () => {
    await Promise.all(running.map((one) => one.stop()));
    running = [];
  });
  afterAll(async () => {
    const allGone = await eventually(() => processesOn(base).length === 0);
    remove();
    expect(allGone, 'a server was left behind').toBe(true);
  });
  return {
    get base() {
      return base;
    },
    get at() {
      return at;
    },
    started: async (more) => keep((await startEmbeddedPostgres(options(more)))._unsafeUnwrap()),
    refused: async (more) => (await startEmbeddedPostgres(options(more)))._unsafeUnwrapErr(),
    inProcess: async (more, as) => keep(await runStarter(program, options(more), as)),
  };
};
