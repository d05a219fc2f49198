import { spawnSync } from 'node:child_process';
import {
  chownSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { query, useBench } from './bench.ts';
import { nativeDir, ordinaryUser, processesOn, projectIsOpen } from './starter.ts';

/*
 * [E1] to [E9] are the nine ways in which an embedded PostgreSQL was seen to fail. [E8] (user namespaces) has no test:
 * the starter uses none.
 */
const isRoot = process.getuid?.() === 0;
const other = isRoot && projectIsOpen() ? ordinaryUser() : undefined;
if (!isRoot) console.warn('SKIPPED: the tests that lend user ids need root; run as root to see them');
else if (other === undefined)
  console.warn('SKIPPED: no ordinary user can read this project (a folder above it is closed)');

const bench = useBench();

/** A copy of the binaries as `npm ci --ignore-scripts` leaves them, with only the programs that we use. */
const bareNative = (place: string): string => {
  const native = join(place, 'native');
  cpSync(nativeDir(), native, {
    recursive: true,
    filter: (from) => !/pg_ctl$/.test(from),
    verbatimSymlinks: true,
  });
  for (const name of readdirSync(join(native, 'lib'), { withFileTypes: true })) {
    if (name.isSymbolicLink()) rmSync(join(native, 'lib', name.name));
  }
  cpSync(join(nativeDir(), '../package.json'), join(place, 'package.json'));
  return native;
};
const snapshot = (folder: string): string =>
  JSON.stringify(
    readdirSync(folder, { recursive: true })
      .map(String)
      .sort()
      .map((name) => [name, statSync(join(folder, name)).mtimeMs, statSync(join(folder, name)).size]),
  );

test('[E1] [E6] starts without the library links and without pg_ctl', async () => {
  const server = await bench.started({ nativeDir: bareNative(bench.at) });
  expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  await server.stop();
  expect(processesOn(server.dataDir)).toEqual([]);
});

test.runIf(other)(
  '[E1] [E2] an ordinary user whose node_modules is read-only gets a copy of the binaries',
  async () => {
    const native = bareNative(bench.at);
    mkdirSync(join(bench.at, 'data'));
    chownSync(join(bench.at, 'data'), other!.uid, other!.gid);
    const server = await bench.inProcess({ nativeDir: native }, other);
    expect(server.message).toBeUndefined();
    expect(server.dataDir).toBe(join(bench.at, 'data/postgres/cluster'));
    await server.stop();
  },
);

test.runIf(isRoot)(
  '[E2] root with a project under a closed parent: data and binaries live in a folder of our own',
  async () => {
    const closed = join(bench.at, 'closed');
    mkdirSync(closed, { mode: 0o700 });
    const more = { nativeDir: bareNative(closed), dataDir: join(closed, 'data'), projectRoot: closed };
    const server = await bench.started(more);
    const spare = join(server.dataDir, '../..');
    expect(spare.startsWith(join(bench.base, 'spare/doska-'))).toBe(true);
    expect(statSync(spare).mode & 0o777).toBe(0o711); // entered by the server's user, not listed by others
    expect(statSync(server.dataDir).mode & 0o777).toBe(0o700);
    await query(server.url, 'create table kept (a int)');
    await server.stop();
    const again = await bench.started(more);
    expect(await query(again.url, 'select * from kept')).toEqual([]);
    await again.stop();
  },
);

test.runIf(isRoot)(
  '[E2] root with a strict umask: what npm and we make is closed to the server, and still it starts',
  async () => {
    const native = bareNative(bench.at);
    spawnSync('chmod', ['-R', 'go-rwx', native]);
    const before = process.umask(0o077);
    const server = await bench.started({ nativeDir: native }).finally(() => process.umask(before));
    expect(await query(server.url, 'select 1 as one')).toEqual([{ one: 1 }]);
  },
);

test.runIf(other)(
  '[E2] an ordinary user in a read-only project: the data lives in a folder of its own',
  async () => {
    const server = await bench.inProcess({}, other);
    expect(server.message).toBeUndefined();
    const spare = join(server.dataDir, '../..');
    expect(spare.startsWith(join(bench.base, 'spare/doska-'))).toBe(true);
    expect(statSync(spare)).toMatchObject({ uid: other!.uid });
    expect(statSync(spare).mode & 0o777).toBe(0o700);
  },
);

test.runIf(isRoot).each([
  { name: 'a symbolic link', make: (path: string) => symlinkSync(bench.at, path) },
  { name: "a stranger's folder", make: (path: string) => (mkdirSync(path), chownSync(path, 12345, 12345)) },
])('[E2] the folder of our own is refused when it is $name', async ({ make }) => {
  const closed = join(bench.at, 'closed');
  mkdirSync(closed, { mode: 0o700 });
  const more = { dataDir: join(closed, 'data'), projectRoot: closed };
  const first = await bench.started(more);
  const spare = join(first.dataDir, '../..');
  await first.stop();
  rmSync(spare, { recursive: true });
  make(spare);
  expect(await bench.refused(more)).toMatchObject({
    kind: 'FolderNotOurs',
    message: expect.stringContaining('DATABASE_URL'),
  });
  rmSync(spare, { recursive: true });
});

test.runIf(other)('[E3] a user without a passwd entry gets a clear message', async () => {
  const data = join(bench.at, 'data');
  mkdirSync(data);
  chownSync(data, 4242, 4242);
  const said = await bench.inProcess({}, { uid: 4242, gid: 4242 });
  expect(said).toMatchObject({ kind: 'NoPasswdEntry', message: expect.stringMatching(/4242.*DATABASE_URL/) });
});

test('[E5] a port that is taken in the last moment is replaced', async () => {
  const taken = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => taken.once('listening', resolve));
  const busy = (taken.address() as { port: number }).port;
  const free = createServer().listen(0, '127.0.0.1');
  await new Promise((resolve) => free.once('listening', resolve));
  const next = (free.address() as { port: number }).port;
  await new Promise((resolve) => free.close(resolve));
  const ports = [busy, next];
  const server = await bench.started({ choosePort: async () => ports.shift()! });
  expect(server.port).toBe(next);
  await server.stop();
  taken.close();
});

test('[E5] damaged data gets a clear message and is left as it is', async () => {
  const server = await bench.started();
  await server.stop();
  rmSync(join(server.dataDir, 'global/pg_control'));
  const before = snapshot(server.dataDir);
  const why = await bench.refused();
  expect(why).toMatchObject({
    kind: 'DamagedData',
    message: expect.stringMatching(/pg_control missing.*DATABASE_URL/),
  });
  expect(snapshot(server.dataDir)).toBe(before);
});

test('[E5] data of another major version gets a clear message and is left as it is', async () => {
  const server = await bench.started();
  await server.stop();
  writeFileSync(join(server.dataDir, 'PG_VERSION'), '15\n');
  const before = snapshot(server.dataDir);
  expect(await bench.refused()).toMatchObject({
    kind: 'OtherMajor',
    message: expect.stringMatching(/PostgreSQL 15.*DATABASE_URL/),
  });
  expect(snapshot(server.dataDir)).toBe(before);
});

test('[E5] [E7] what the server refuses is told in its own words', async () => {
  const why = await bench.refused({ settings: { default_toast_compression: 'lz4' } });
  expect(why).toMatchObject({
    kind: 'ServerFailed',
    message: expect.stringMatching(/default_toast_compression.*DATABASE_URL/),
  });
});

test('[E7] [E9] runs with settings that these binaries have and a laptop can bear', async () => {
  const server = await bench.started();
  const [row] = await query<Record<string, string>>(
    server.url,
    `select current_setting('default_toast_compression') as toast, current_setting('max_wal_size') as wal,
       current_setting('cluster_name') as name, current_setting('max_connections')::int >= 100 as roomy,
       (select datlocprovider::text || ' ' || datlocale from pg_database where datname = current_database()) as locale`,
  );
  expect(row).toEqual({ toast: 'pglz', wal: '512MB', name: 'doska', roomy: true, locale: 'b C.UTF-8' });
  expect(statSync(join(bench.at, 'data/postgres/password')).mode & 0o777).toBe(0o600);
  await expect(query(server.url.replace(/:[^:@]+@/, ':wrong@'), 'select 1')).rejects.toThrow(
    /password authentication failed/,
  );
  const postmaster = readFileSync(join(server.dataDir, 'postmaster.pid'), 'utf8').split('\n')[0]!;
  expect(statSync(`/proc/${postmaster}`).uid).toBe(isRoot ? 65534 : process.getuid!());
  await server.stop();
  expect(existsSync(join(bench.at, 'data/postgres/owner.json'))).toBe(false);
});

test.runIf(other)(
  'an ordinary user starts, is killed, starts again; root may continue with the data',
  async () => {
    const data = join(bench.at, 'data');
    mkdirSync(data);
    chownSync(data, other!.uid, other!.gid);
    const first = await bench.inProcess({}, other);
    expect(first.message).toBeUndefined();
    await query(first.url, 'create table kept as select 7 as a');
    await first.killHard();
    const second = await bench.inProcess({}, other);
    expect(await query(second.url, 'select a from kept')).toEqual([{ a: 7 }]);
    await second.stop();
    const asRoot = await bench.started();
    expect(await query(asRoot.url, 'select a from kept')).toEqual([{ a: 7 }]);
    await asRoot.stop();
    const third = await bench.inProcess({}, other);
    expect(third.message).toBeUndefined();
    await third.stop();
  },
);
