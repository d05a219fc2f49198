import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  cpSync,
  existsSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { eventually } from '@doska/core/kernel/testing';

/** The built platform as its own process, as people start it. */
const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const MAIN = join(ROOT, 'packages/apps/platform/dist/main.js');
const CLI = join(ROOT, 'packages/apps/cli/dist/main.js');
/** Nothing of the product's variables may come from the machine that runs the tests. */
const cleanEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$)/.test(name)),
);

type Run = {
  readonly pid: number;
  readonly httpUrl: string;
  readonly grpcAddress: string;
  readonly token: string;
};
const freshDir = (): string => {
  const dir = mkdtempSync(join(tmpdir(), 'doska-e2e-'));
  chmodSync(dir, 0o755);
  return dir;
};
const envOf = (dataDir: string, more: Record<string, string> = {}) => ({
  ...cleanEnv,
  DOSKA_DATA_DIR: dataDir,
  DOSKA_HTTP_PORT: '0',
  DOSKA_GRPC_PORT: '0',
  ...more,
});
const start = (
  env: Record<string, string | undefined>,
  ...args: readonly string[]
): {
  readonly process: ChildProcess;
  readonly output: () => string;
  readonly exit: Promise<number | null>;
} => {
  const child = spawn(process.execPath, [MAIN, ...args], { env, stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
  child.stderr.on('data', (chunk: Buffer) => (output += chunk.toString()));
  return {
    process: child,
    output: () => output,
    exit: new Promise((resolve) => child.on('exit', (code) => resolve(code))),
  };
};
const runOf = (dataDir: string): Promise<Run> =>
  eventually(() => JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as Run, { withinMs: 40_000 });
const cli = (dataDir: string, ...args: readonly string[]) =>
  spawnSync(process.execPath, [CLI, ...args], { env: envOf(dataDir), encoding: 'utf8' });

describe('npm start', () => {
  const dataDir = freshDir();
  let platform: ReturnType<typeof start>, run: Run;
  beforeAll(async () => {
    platform = start(envOf(dataDir));
    run = await runOf(dataDir);
  });
  afterAll(async () => {
    platform.process.kill('SIGTERM');
    await platform.exit;
    rmSync(dataDir, { recursive: true, force: true });
  });
  const get = (path: string, headers: Record<string, string> = {}) =>
    fetch(`${run.httpUrl}${path}`, { headers });

  test('[B14] prints its addresses and a first command to try', async () => {
    await eventually(() => expect(platform.output()).toContain('npm run doska -- status'));
    expect(platform.output()).toContain(run.httpUrl);
    expect(platform.output()).toContain(run.grpcAddress);
  });
  test('[B16] answers health and readiness', async () => {
    expect((await get('/healthz')).status).toBe(200);
    await eventually(async () => expect((await get('/readyz')).status).toBe(200));
  });
  test('[B17] only the owner can read the generated secrets', () => {
    for (const name of ['run.json', 'secrets.json'])
      expect(statSync(join(dataDir, name)).mode & 0o777).toBe(0o600);
  });
  test('[B17] an undeclared path is not found, with and without a token', async () => {
    expect((await get('/nowhere')).status).toBe(404);
    expect((await get('/nowhere', { authorization: `Bearer ${run.token}` })).status).toBe(404);
  });
  test('[B18] metrics are open on a loopback address of the embedded profile', async () => {
    const metrics = await get('/metrics');
    expect(metrics.status).toBe(200);
    expect(await metrics.text()).toContain('doska_http_requests_total');
  });
  test('[B19] doska status finds it and shows workers, leases and jobs', async () => {
    const { stdout, status } = await eventually(() => {
      const answer = cli(dataDir, 'status');
      expect(answer.stdout).toMatch(/log-upkeep\s+\d+ s ago\s+succeeded/);
      return answer;
    });
    expect(status).toBe(0);
    expect(stdout).toMatch(/log-upkeep\s+operations\s+running/);
    expect(stdout).toMatch(/job\/log-upkeep\s+0\s+\S+\s+1/);
  });
  test('[B19] --json is for programs', () => {
    const { stdout, status } = cli(dataDir, '--json', 'status');
    expect(status).toBe(0);
    expect(JSON.parse(stdout)).toMatchObject({
      platform: { profile: 'embedded' },
      workers: expect.arrayContaining(
        ['catalog-cache', 'gost-export', 'lag-metrics', 'log-upkeep'].map(
          (name) => expect.objectContaining({ name, state: 'running' }) as unknown,
        ),
      ),
    });
  });
  test('[B19] a token issued by doska token is accepted, and lets in only where its role may', async () => {
    const operator = cli(
      dataDir,
      'token',
      '--subject',
      'ann',
      '--role',
      'operator',
      '--ttl',
      '5m',
    ).stdout.trim();
    const seller = cli(dataDir, 'token', '--subject', 'bob', '--role', 'seller:7').stdout.trim();
    const status = (token: string) =>
      spawnSync(process.execPath, [CLI, '--json', 'status'], {
        env: { ...cleanEnv, DOSKA_URL: run.grpcAddress, DOSKA_TOKEN: token },
        encoding: 'utf8',
      });
    expect(status(operator).status).toBe(0);
    expect(status(seller).status).toBe(77);
    expect(status(seller).stderr).toContain('PermissionDenied');
    expect(status('rubbish').status).toBe(77);
  });
  test('[B19] wrong arguments are reported with the exit code 64', () => {
    expect(cli(dataDir, 'token', '--subject', 'x', '--role', 'king').status).toBe(64);
    expect(cli(dataDir, 'token', '--subject', 'x', '--role', 'operator', '--ttl', 'long').stderr).toContain(
      '--ttl long',
    );
    expect(cli(dataDir, 'nonsense').status).toBe(64);
    expect(cli(dataDir, '--help').stdout).toContain('migrate');
    expect(cli(dataDir, 'token', '--help').status).toBe(0);
  });
  test('[B13] doska migrate on a database in use has nothing to do', () => {
    expect(cli(dataDir, 'migrate').stdout.trim()).toBe('up to date');
    expect(cli(dataDir, 'migrate', '--dry-run').stdout.trim()).toBe('nothing is pending');
  });
  test('[C3] doska catalog: the demo catalogue is there; check, show, publish, diff', async () => {
    const demo = join(ROOT, 'packages/apps/catalog-api/demo');
    expect(cli(dataDir, 'catalog', 'check', demo).stdout.trim()).toMatch(
      /^right: \d+ categories, \d+ attributes$/,
    );
    expect(cli(dataDir, 'catalog', 'show').stdout).toMatch(/^version 1\nall {2}Все категории/);
    expect(cli(dataDir, 'catalog', 'show', 'cars-used-lada').stdout).toContain(
      'all > transport > cars > cars-used > cars-used-lada',
    );
    expect(cli(dataDir, 'catalog', 'publish', demo).stdout).toContain('nothing to publish, version 1 stays');
    const changed = freshDir();
    onTestFinished(() => rmSync(changed, { recursive: true }));
    cpSync(demo, changed, { recursive: true });
    writeFileSync(
      join(changed, 'extra.json'),
      JSON.stringify({
        categories: [
          { id: 'spaceships', parent: 'transport', names: { ru: 'Космические корабли', en: 'Spaceships' } },
        ],
      }),
    );
    expect(cli(dataDir, 'catalog', 'publish', changed, '--dry-run').stdout).toMatch(
      /would be published after version 1[^]*added +category +spaceships/,
    );
    expect(cli(dataDir, 'catalog', 'publish', changed, '--expect', '1').stdout).toContain(
      'published version 2',
    );
    expect(cli(dataDir, 'catalog', 'publish', demo, '--expect', '1')).toMatchObject({
      status: 77,
      stderr: expect.stringContaining('VersionTaken') as string,
    });
    expect(cli(dataDir, 'catalog', 'diff', '1').stdout).toMatch(
      /from version 1 to 2[^]*added +category +spaceships/,
    );
    writeFileSync(
      join(changed, 'extra.json'),
      JSON.stringify({ categories: [{ id: 'lost', parent: 'nowhere', names: { ru: 'a', en: 'b' } }] }),
    );
    expect(cli(dataDir, 'catalog', 'check', changed)).toMatchObject({
      status: 77,
      stderr: expect.stringContaining('extra.json categories/lost/parent') as string,
    });
    expect(cli(dataDir, 'catalog', 'diff', 'one').status).toBe(64);
  }, 180_000);
  test('[X11] a second platform on the same directory is refused, and the first one goes on', async () => {
    const before = readFileSync(join(dataDir, 'run.json'), 'utf8');
    const second = start(envOf(dataDir));
    onTestFinished(() => void second.process.kill('SIGKILL'));
    expect(await second.exit).toBe(69);
    expect(second.output()).toContain(
      `Process ${run.pid} already runs the platform on ${dataDir} at ${run.httpUrl}.`,
    );
    expect(second.output()).toContain('npm run app -- NAME');
    expect(readFileSync(join(dataDir, 'run.json'), 'utf8')).toBe(before);
    expect((await get('/readyz')).status).toBe(200);
  });
  test('[X11] an app alone joins the platform, and run.json stays the file of the platform', async () => {
    const before = readFileSync(join(dataDir, 'run.json'), 'utf8');
    const app = start(envOf(dataDir), 'operations');
    onTestFinished(() => void app.process.kill('SIGKILL'));
    await eventually(() => expect(app.output()).toContain('Doska is ready'), { withinMs: 30_000 });
    expect(readFileSync(join(dataDir, 'run.json'), 'utf8')).toBe(before);
    app.process.kill('SIGTERM');
    expect(await app.exit).toBe(0);
    expect(readFileSync(join(dataDir, 'run.json'), 'utf8')).toBe(before);
    expect((await get('/readyz')).status).toBe(200);
  });
});

describe('an embedded PostgreSQL that is killed', () => {
  const postmasterOf = (dataDir: string): number =>
    Number(readFileSync(join(dataDir, 'postgres/cluster/postmaster.pid'), 'utf8').split('\n')[0]);
  const killPostmaster = async (dataDir: string): Promise<number> => {
    const pid = postmasterOf(dataDir);
    process.kill(pid, 'SIGKILL');
    return eventually(
      () => {
        const next = postmasterOf(dataDir);
        expect(next).not.toBe(pid);
        return next;
      },
      { withinMs: 30_000 },
    );
  };
  const isReady = async ({ httpUrl }: Run): Promise<void> =>
    eventually(async () => expect((await fetch(`${httpUrl}/readyz`)).status).toBe(200), {
      withinMs: 30_000,
    });

  test('[X10] is started again: the platform becomes ready, keeps its data and stops cleanly', async () => {
    const dataDir = freshDir();
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const platform = start(envOf(dataDir));
    onTestFinished(() => void platform.process.kill('SIGKILL'));
    const run = await runOf(dataDir);
    await isReady(run);
    for (let kills = 0; kills < 2; kills++) {
      await killPostmaster(dataDir);
      await isReady(run);
      expect(cli(dataDir, 'catalog', 'show').stdout).toMatch(/^version 1\n/);
    }
    const last = postmasterOf(dataDir);
    platform.process.kill('SIGTERM');
    expect(await platform.exit, platform.output()).toBe(0);
    expect(() => process.kill(last, 0)).toThrow('ESRCH');
  }, 120_000);
});

describe('starting and stopping', () => {
  test('[B14] stops cleanly and takes its database with it; the next start finds its data', async () => {
    const dataDir = freshDir();
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const first = start(envOf(dataDir));
    await runOf(dataDir);
    first.process.kill('SIGTERM');
    expect(await first.exit).toBe(0);
    expect(cli(dataDir, 'status').status).toBe(69);
    const second = start(envOf(dataDir));
    await runOf(dataDir);
    expect(second.output()).not.toContain('migrations applied');
    second.process.kill('SIGINT');
    expect(await second.exit).toBe(0);
  });
  test('[B14] a signal during the start stops it cleanly', async () => {
    const dataDir = freshDir();
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const hasty = start(envOf(dataDir));
    await eventually(() => expect(hasty.output()).toContain('creating a PostgreSQL'), { withinMs: 20_000 });
    hasty.process.kill('SIGTERM');
    expect(await hasty.exit).toBe(0);
    expect(existsSync(join(dataDir, 'run.json'))).toBe(false);
  });
  test('[B14] a configured port that is taken is refused and named', async () => {
    const dataDir = freshDir();
    const busy = createServer().listen(0, '127.0.0.1');
    await new Promise((resolve) => busy.once('listening', resolve));
    onTestFinished(() => {
      busy.close();
      rmSync(dataDir, { recursive: true, force: true });
    });
    const port = String((busy.address() as { port: number }).port);
    const refused = start(envOf(dataDir, { DOSKA_HTTP_PORT: port }));
    expect(await refused.exit).toBe(69);
    expect(refused.output()).toContain(`DOSKA_HTTP_PORT: port ${port} is taken`);
  });
  test('[X13] a data folder that can not be written is refused with the way out', async () => {
    const dir = freshDir();
    onTestFinished(() => rmSync(dir, { recursive: true, force: true }));
    const file = join(dir, 'file');
    writeFileSync(file, '');
    const refused = start(envOf(join(file, 'data')));
    expect(await refused.exit).toBe(69);
    expect(refused.output()).toBe(
      `doska: DOSKA_DATA_DIR: the folder ${file}/data can't be written: a part of its path is a file. Make it writable for this user, or set DOSKA_DATA_DIR to another folder.\n`,
    );
  });
  test('[X13] damaged secrets and another number of partitions each stop the start with a sentence', async () => {
    const dataDir = freshDir();
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const first = start(envOf(dataDir));
    await runOf(dataDir);
    first.process.kill('SIGTERM');
    expect(await first.exit).toBe(0);
    const partitions = start(envOf(dataDir, { DOSKA_PARTITIONS: '5' }));
    expect(await partitions.exit).toBe(69);
    expect(partitions.output()).toMatch(
      /doska: DOSKA_PARTITIONS: the topic \S+ has 8 partitions, and 5 are configured\..* set DOSKA_PARTITIONS=8\./,
    );
    writeFileSync(join(dataDir, 'secrets.json'), '{"tokenKey":"cut o');
    const damaged = start(envOf(dataDir));
    expect(await damaged.exit).toBe(69);
    expect(damaged.output()).toContain("secrets.json can't be used: it is not JSON. Nothing was changed.");
    expect(cli(dataDir, 'token', '--subject', 'ann', '--role', 'operator').status).toBe(78);
    expect(readFileSync(join(dataDir, 'secrets.json'), 'utf8')).toBe('{"tokenKey":"cut o');
  });
  test('[B15] a wrong value refuses to start', async () => {
    const refused = start({ ...cleanEnv, DOSKA_GRPC_PORT: 'many' });
    expect(await refused.exit).toBe(78);
    expect(refused.output()).toContain('DOSKA_GRPC_PORT');
  });
  test('[B14] one app runs alone; an unknown app is refused with the list of apps', async () => {
    const dataDir = freshDir();
    onTestFinished(() => rmSync(dataDir, { recursive: true, force: true }));
    const alone = start(envOf(dataDir), 'operations');
    await runOf(dataDir);
    alone.process.kill('SIGTERM');
    expect(await alone.exit).toBe(0);
    const unknown = start(envOf(dataDir), 'nothing');
    expect(await unknown.exit).toBe(64);
    expect(unknown.output()).toContain('operations');
  });
  test('[B15] --help lists the settings', async () => {
    const help = start({ ...cleanEnv }, '--help');
    expect(await help.exit).toBe(0);
    expect(help.output()).toContain('DOSKA_HTTP_PORT');
  });
});
