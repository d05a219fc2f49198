import { spawn, type ChildProcess } from 'node:child_process';
import { readdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { inFolder, openedIn, sampleSpec } from '../testing/engine-probe.ts';
import { openWorkerEngine } from '../worker/worker-engine.ts';
import { openEmbeddedEngine } from './embedded-engine.ts';
import { lockFolder } from './folder-lock.ts';
import { plainAnalyzer } from '@doska/core/vasgen/testing';
import { realClock } from '@doska/core/kernel/testing';

const CHILD = fileURLToPath(new URL('../../dist/testing/lock-process.js', import.meta.url));

type Holder = { readonly child: ChildProcess; readonly said: string; readonly gone: Promise<unknown> };
const holder = async (dir: string): Promise<Holder> => {
  const child = spawn(process.execPath, [CHILD, dir], { stdio: ['pipe', 'pipe', 'inherit'] });
  const gone = new Promise((resolve) => child.on('exit', resolve));
  const said = await new Promise<string>((resolve) =>
    child.stdout.once('data', (chunk) => resolve(String(chunk).trim())),
  );
  return { child, said, gone };
};
const kill = async ({ child, gone }: Holder): Promise<void> => {
  child.kill('SIGKILL');
  await gone;
};
const open = (dir: string) => openEmbeddedEngine({ analyzer: plainAnalyzer, clock: realClock, dir });
const inThread = (dir: string) =>
  openWorkerEngine({ analyzer: { module: '@doska/core/vasgen/testing', export: 'plainAnalyzer' }, dir });

test('[V8] a folder that another process has open is refused with its pid, and taken over after kill -9', async () => {
  await inFolder(async (dir) => {
    const first = await holder(dir);
    expect(first.said).toBe('held');
    const refused = { kind: 'FolderInUse', folder: dir, pid: first.child.pid };
    expect((await open(dir))._unsafeUnwrapErr()).toEqual(refused);
    expect((await inThread(dir))._unsafeUnwrapErr()).toEqual(refused);
    await kill(first);
    const engine = await openedIn(dir);
    expect((await holder(dir)).said).toBe('refused');
    await engine.close();
    const next = await holder(dir);
    expect(next.said).toBe('held');
    next.child.stdin?.write('go\n');
    await next.gone;
    await (await openedIn(dir)).close();
  });
});

test('[V8] two engines of one process are refused too, in a thread and without; closing gives the folder back', async () => {
  await inFolder(async (dir) => {
    const engine = (await inThread(dir))._unsafeUnwrap();
    const refused = { kind: 'FolderInUse', pid: process.pid };
    expect((await open(dir))._unsafeUnwrapErr()).toMatchObject(refused);
    expect((await inThread(dir))._unsafeUnwrapErr()).toMatchObject(refused);
    await engine.close();
    const again = await openedIn(dir);
    expect((await inThread(dir))._unsafeUnwrapErr()).toMatchObject(refused);
    await again.close();
    await again.close();
    // It may be another engine's by now: the one that was closed writes nothing to it.
    expect((await again.create(sampleSpec))._unsafeUnwrapErr()).toMatchObject({ kind: 'Unavailable' });
    await (await openedIn(dir)).close();
  });
});

test('[V8] a thread that died gives its folder back', async () => {
  await inFolder(async (dir) => {
    const wrong = { module: 'node:path', export: 'nothing' };
    const engine = (await openWorkerEngine({ analyzer: wrong, dir }))._unsafeUnwrap();
    await engine.create(sampleSpec);
    const { epoch } = sampleSpec;
    const freshness = { epoch, version: 1, timestampMs: 1, kind: 'document' } as const;
    const change = { pk: 'a', freshness, event: 'upsert', fields: { title: 'x' } } as const;
    expect((await engine.apply(sampleSpec.name, [change])).isErr()).toBe(true);
    await engine.close();
    await (await openedIn(dir)).close();
  });
});

test('[V8] of many that want a dead one’s folder at once, one gets it', async () => {
  await inFolder(async (dir) => {
    for (let round = 0; round < 4; round++) {
      await kill(await holder(dir));
      const rivals = await Promise.all(Array.from({ length: 5 }, () => holder(dir)));
      expect(rivals.filter(({ said }) => said === 'held')).toHaveLength(1);
      await Promise.all(rivals.map(kill));
    }
    expect(readdirSync(dir)).toHaveLength(1);
  });
});

test('[V8] an empty lock, and a lock whose pid was reused by another process, do not block', async () => {
  await inFolder(async (dir) => {
    for (const text of ['', 'x', JSON.stringify({ pid: process.pid, started: 'long ago' })]) {
      const [highest = 0] = readdirSync(dir).map((file) => Number(file.slice('lock-'.length)));
      writeFileSync(join(dir, `lock-${highest + 1}`), text);
      const lock = lockFolder(dir)._unsafeUnwrap();
      expect(lockFolder(dir).isErr()).toBe(true);
      lock.release();
    }
  });
});
