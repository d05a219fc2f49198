import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, test } from 'vitest';
import { eventually, query, useBench } from './bench.ts';
import { processesOn, type Starter } from './starter.ts';

const bench = useBench();

test('[E4] kill -9 of the owner stops the server, and the next start works', async () => {
  const first = await bench.inProcess();
  await query(first.url, 'create table kept as select 7 as a');
  await first.killHard();
  expect(await eventually(() => processesOn(first.dataDir).length === 0, 5_000)).toBe(true);
  const next = await bench.started();
  expect(await query(next.url, 'select a from kept')).toEqual([{ a: 7 }]);
  await next.stop();
});

/** The guardian is a shell and its watching child; the server is a child of the shell too, but no guardian. */
const guardiansOf = (owner: Starter): number[] => {
  const note = readFileSync(join(bench.at, 'data/postgres/owner.json'), 'utf8');
  const { guardian } = JSON.parse(note) as { guardian: { pid: number } };
  const children = readFileSync(`/proc/${guardian.pid}/task/${guardian.pid}/children`, 'utf8')
    .trim()
    .split(' ');
  const server = readFileSync(join(owner.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0];
  return [guardian.pid, ...children.filter((pid) => pid !== server).map(Number)];
};
const signal = (pids: readonly number[], name: NodeJS.Signals) =>
  pids.forEach((pid) => process.kill(pid, name));

test('[E4] a start right after kill -9 waits for the old server instead of joining its end', async () => {
  const first = await bench.inProcess();
  const guardians = guardiansOf(first);
  signal(guardians, 'SIGSTOP'); // a busy machine: the guardian gets its turn only later
  await first.killHard();
  setTimeout(() => signal(guardians, 'SIGCONT'), 500);
  const next = await bench.started();
  await pause(1_000);
  expect(await query(next.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  expect(next).toMatchObject({ owned: true });
});

/**
 * Ends the guardian and then the owner, so that no process stops the server. The watching child goes first: it would take
 * the shell's end, which makes the owner close the pipe, for the owner's.
 */
const orphan = async (owner: Starter): Promise<void> => {
  signal(guardiansOf(owner).toReversed(), 'SIGKILL');
  await owner.killHard();
};

test('[E4] a server that lost its owner and its guardian is adopted, and stopped at the end', async () => {
  const first = await bench.inProcess();
  await orphan(first);
  const heir = await bench.started();
  expect(heir).toMatchObject({ owned: true, port: first.port });
  await heir.stop();
  expect(processesOn(first.dataDir)).toEqual([]);
});

test('[E4] an adopted server ends with its heir, also by kill -9', async () => {
  const first = await bench.inProcess();
  await orphan(first);
  const heir = await bench.inProcess();
  expect(heir).toMatchObject({ owned: true, port: first.port });
  await heir.killHard();
  expect(await eventually(() => processesOn(first.dataDir).length === 0, 5_000)).toBe(true);
});

test('[E5] a second process only connects, and its stop stops nothing', async () => {
  const first = await bench.started();
  const second = await bench.inProcess();
  expect(second).toMatchObject({ owned: false, port: first.port, url: first.url });
  await second.stop();
  expect(await query(first.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await first.stop();
  await first.stop();
});

test('[E5] four processes at once on a new folder: one starts, the others connect', async () => {
  const all = await Promise.all([1, 2, 3, 4].map(() => bench.inProcess()));
  expect(all.map(({ owned }) => owned).toSorted()).toEqual([false, false, false, true]);
  expect(new Set(all.map(({ url }) => url)).size).toBe(1);
  await Promise.all(all.filter(({ owned }) => !owned).map((one) => one.stop()));
  await Promise.all(all.map((one) => one.stop()));
});

test('[E5] a lock and half a cluster that a killed starter left are swept', async () => {
  const home = join(bench.at, 'data/postgres');
  mkdirSync(join(home, 'draft-1/cluster/base'), { recursive: true });
  writeFileSync(join(home, 'start.lock'), JSON.stringify({ pid: 1, started: 'long ago' }));
  const server = await bench.started();
  expect(readdirSync(home).filter((name) => name.startsWith('draft-') || name === 'start.lock')).toEqual([]);
  await server.stop();
});
