import { spawn } from 'node:child_process';
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { expect, test } from 'vitest';
import { changeAt, historyUpTo } from '../testing/crash-history.ts';
import { differences, inFolder, openedIn, sampleSpec, truthOf } from '../testing/engine-probe.ts';

const CHILD = fileURLToPath(new URL('../../dist/testing/crash-process.js', import.meta.url));
const { name } = sampleSpec;

/** Lets it work for a while after it has opened, or kills it while it still opens. Resolves when it is dead. */
const runAndKill = async (dir: string, ms: number): Promise<string> => {
  const child = spawn(process.execPath, [CHILD, dir, '1000000'], { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stderr.on('data', (chunk) => (output += String(chunk)));
  const dead = new Promise((resolve) => child.on('exit', resolve));
  const started = new Promise((resolve) => child.stdout.once('data', resolve));
  await Promise.race([started, dead, ...(ms % 3 === 0 ? [pause(ms)] : [])]);
  if (ms % 3 !== 0) await pause(ms);
  child.kill('SIGKILL');
  await dead;
  return output;
};

test('[V8] kill -9 at any moment of snapshotting and replay: reopened, it equals the log applied from zero', async () => {
  await inFolder(async (dir) => {
    let before = 0;
    const moments = [400, 100, 301, 150, 700, 71, 133, 301, 500, 17];
    // Divisible by three: killed while it opens. On a slow machine it goes on until there was something to lose.
    for (let round = 0; round < moments.length || (before < 100 && round < 40); round++) {
      expect(await runAndKill(dir, moments[round] ?? 1000)).toBe('');
      const engine = await openedIn(dir);
      expect(engine.opened.flatMap(({ damaged }) => damaged)).toEqual([]);
      const [info] = (await engine.indexes())._unsafeUnwrap();
      const offset = info?.positions[0]?.offset ?? 0;
      expect(offset).toBeGreaterThanOrEqual(before);
      if (info) {
        // It may be ahead of its position by a part of a batch, never behind: the rest of the log makes it equal.
        await engine.apply(
          name,
          Array.from({ length: 50 }, (_, at) => changeAt(offset + at)),
        );
        expect(await differences(engine, truthOf(historyUpTo(offset + 50)))).toEqual([]);
      }
      await engine.close();
      before = offset;
    }
    expect(before).toBeGreaterThan(100);
  });
}, 240_000);
