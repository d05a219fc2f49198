import { spawn, spawnSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { createServer, connect, type Server, type Socket } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { eventually } from '@doska/core/kernel/testing';
import { freshDatabase } from '@doska/test-setup/database';
import { describe, expect, onTestFinished, test } from 'vitest';

const MAIN = fileURLToPath(new URL('../dist/main.js', import.meta.url));
const CLI = fileURLToPath(new URL('../../cli/dist/main.js', import.meta.url));
const cleanEnv = Object.fromEntries(
  Object.entries(process.env).filter(([name]) => !/^(DOSKA_|DATABASE_URL$|KAFKA_)/.test(name)),
);
/** A place where nothing listens until `open` lets connections through to the real server. */
const gateTo = async (host: string, port: number) => {
  const sockets = new Set<Socket>();
  const gate: Server = createServer((socket) => {
    sockets.add(socket);
    const through = connect(port, host);
    socket.pipe(through).pipe(socket);
    for (const one of [socket, through]) one.on('error', () => [socket, through].forEach((s) => s.destroy()));
  });
  const listen = (at: number): Promise<number> =>
    new Promise((resolve) =>
      gate.listen(at, '127.0.0.1', () => resolve((gate.address() as { port: number }).port)),
    );
  const at = await listen(0);
  await new Promise((resolve) => gate.close(resolve));
  onTestFinished(() => void gate.close());
  const open = () => listen(at);
  const shut = (): void => {
    gate.close();
    for (const one of sockets) one.destroy();
  };
  return { at, open, shut };
};
const startApp = (app: string, env: Record<string, string>) => {
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-waiting-'));
  chmodSync(dataDir, 0o755);
  const child = spawn(process.execPath, [MAIN, app], {
    env: {
      ...cleanEnv,
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_FORMAT: 'json',
      ...env,
    },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
  onTestFinished(() => {
    child.kill('SIGKILL');
    rmSync(dataDir, { recursive: true, force: true });
  });
  return {
    child,
    output: () => output,
    exit: new Promise((resolve) => child.on('exit', resolve)),
    status: (...args: readonly string[]) =>
      spawnSync(process.execPath, [CLI, ...args, 'status'], {
        env: { ...cleanEnv, DOSKA_DATA_DIR: dataDir },
        encoding: 'utf8',
      }),
    isStarted: () => existsSync(join(dataDir, 'run.json')),
    httpUrl: () =>
      (JSON.parse(readFileSync(join(dataDir, 'run.json'), 'utf8')) as { readonly httpUrl: string }).httpUrl,
  };
};
const databaseOf = async () => {
  const database = await freshDatabase();
  onTestFinished(() => database.drop());
  return database.url;
};

describe('a start', () => {
  test('[X18] gost-api uses no topic, so it starts and serves while Kafka is away', async () => {
    const app = startApp('gost-api', {
      DATABASE_URL: await databaseOf(),
      DOSKA_LOG: 'kafka',
      KAFKA_BROKERS: '127.0.0.1:1',
    });
    await eventually(() => expect(app.isStarted(), app.output()).toBe(true), { withinMs: 30_000 });
    expect((await fetch(`${app.httpUrl()}/healthz`)).status).toBe(200);
    app.child.kill('SIGTERM');
    expect(await app.exit, app.output()).toBe(0);
  });
  test('[X18] waits for a database that is away, says so once, and goes on when it answers', async () => {
    const url = new URL(await databaseOf());
    const { at, open } = await gateTo(url.hostname, Number(url.port));
    url.host = `127.0.0.1:${at}`;
    const app = startApp('operations', { DATABASE_URL: url.href });
    await eventually(() => expect(app.output()).toContain("The database can't be reached: "), {
      withinMs: 20_000,
    });
    expect(app.output()).toContain('Waiting up to 60 s for it.');
    expect(app.isStarted()).toBe(false);
    await open();
    await eventually(() => expect(app.isStarted(), app.output()).toBe(true), { withinMs: 30_000 });
    expect(app.output().match(/Waiting up to/g)).toHaveLength(1);
    app.child.kill('SIGTERM');
    expect(await app.exit).toBe(0);
  });
  test('[X18] ends the wait on a signal, and gives up after the configured time', async () => {
    const env = { DATABASE_URL: 'postgresql://doska@127.0.0.1:1/doska' };
    const stopped = startApp('operations', env);
    await eventually(() => expect(stopped.output()).toContain('Waiting up to'), { withinMs: 20_000 });
    stopped.child.kill('SIGTERM');
    expect(await stopped.exit).toBe(0);
    const impatient = startApp('operations', { ...env, DOSKA_START_WAIT_MS: '300' });
    expect(await impatient.exit).toBe(69);
    expect(impatient.output()).toContain('doska: Gave up after 0.3 s (DOSKA_START_WAIT_MS).');
  });
});

describe('doska status', () => {
  const started = async (app: ReturnType<typeof startApp>): Promise<void> =>
    eventually(() => expect(app.isStarted(), app.output()).toBe(true), { withinMs: 30_000 });
  const linesOf = ({ stdout }: { readonly stdout: string }): readonly string[] => stdout.split('\n');

  test('[X21] shows every process; one that was killed is missing with its parts, and the exit code is 2', async () => {
    const env = {
      DATABASE_URL: await databaseOf(),
      DOSKA_PROCESS_BEAT_MS: '200',
      DOSKA_PROCESS_MISSING_MS: '2000',
    };
    const operations = startApp('operations', env);
    const photos = startApp('photos', env);
    await Promise.all([started(operations), started(photos)]);
    await eventually(() => {
      const status = operations.status();
      expect(status.status, status.stdout).toBe(0);
      expect(status.stdout).toMatch(/running .* operations\n.*running .* photos\n/);
      expect(status.stdout).toMatch(/photo-requests\s+photos\s+running/);
    });
    photos.child.kill('SIGKILL');
    await eventually(
      () => {
        const status = operations.status();
        expect(status.status).toBe(2);
        expect(linesOf(status)[0]).toMatch(
          /^! photos \(process \d+ on \S+\) is missing: its last heartbeat was/,
        );
        expect(status.stdout).toMatch(/photo-requests\s+photos\s+running/);
      },
      { withinMs: 20_000 },
    );
    expect(JSON.parse(operations.status('--json').stdout)).toMatchObject({
      processes: [
        { apps: ['operations'], isMissing: false },
        { apps: ['photos'], isMissing: true },
      ],
    });
    operations.child.kill('SIGTERM');
    expect(await operations.exit).toBe(0);
  });
  test('[X21] says first that the database can not be reached, and still shows its own process', async () => {
    const url = new URL(await databaseOf());
    const { at, open, shut } = await gateTo(url.hostname, Number(url.port));
    url.host = `127.0.0.1:${at}`;
    await open();
    const app = startApp('operations', { DATABASE_URL: url.href });
    await started(app);
    shut();
    await eventually(
      () => {
        const status = app.status();
        expect(status.status).toBe(2);
        expect(linesOf(status)[0]).toMatch(/^! The database can't be reached: .+\.$/);
        expect(status.stdout).toMatch(/lag-metrics\s+operations/);
      },
      { withinMs: 30_000 },
    );
  });
  test('[X21] says first that Kafka can not be reached', async () => {
    const app = startApp('operations', {
      DATABASE_URL: await databaseOf(),
      DOSKA_LOG: 'kafka',
      KAFKA_BROKERS: '127.0.0.1:1',
    });
    await started(app);
    const status = app.status();
    expect(status.status, status.stderr).toBe(2);
    expect(linesOf(status)[0]).toMatch(/^! Kafka at 127\.0\.0\.1:1 can't be reached: .+\.$/);
    app.child.kill('SIGTERM');
    expect(await app.exit, app.output()).toBe(0);
  });
});
