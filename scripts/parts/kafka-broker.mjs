import { spawn } from 'node:child_process';
import { randomBytes, randomInt } from 'node:crypto';
import { closeSync, existsSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { run } from './child.mjs';
import { kafkaLibs } from './kafka-jars.mjs';
import { brokerProperties, javaArguments } from './kafka-settings.mjs';
import { Stop } from './terminal.mjs';

const READY_MS = 90_000;

/**
 * The broker is the shell's child, its pid is written down. With a guardian the shell also waits on a pipe that only
 * our process holds open: when we end, however we end (kill -9 too), the broker is killed. Needs nothing but sh.
 */
const LAUNCH = `exec 4<&0
"$@" 4<&- </dev/null &
server=$!
echo $server > "$PID_FILE"
if [ "$GUARDED" = yes ]; then { read -r _ <&4; kill -9 $server 2>/dev/null; } & watch=$!; fi
exec 4<&-
wait $server
code=$?
[ -n "$watch" ] && kill $watch 2>/dev/null
exit $code`;

/** A broker's port must not be one that the system hands out: a client that retries could connect to itself there. */
const FIRST_PORT = 20_000;
const PORTS = 12_000;

const canListen = (port) =>
  new Promise((resolve) => {
    const server = createServer();
    server.on('error', () => resolve(false));
    server.listen(port, '127.0.0.1', () => server.close(() => resolve(true)));
  });

export const freePort = async () => {
  for (let tries = 0; tries < 100; tries++) {
    const port = FIRST_PORT + randomInt(PORTS);
    if (await canListen(port)) return port;
  }
  throw new Stop(`No free port between ${FIRST_PORT} and ${FIRST_PORT + PORTS}.`);
};

/** The system closes a killed broker's ports a moment after it is gone. */
const requireFree = async (port) => {
  for (let tries = 0; !(await canListen(port)); tries++) {
    if (tries === 20) throw new Stop(`Port ${port} is taken.`);
    await pause(50);
  }
};

const read = (file) => {
  try {
    return readFileSync(file, 'utf8');
  } catch {
    return '';
  }
};

/** The files of a broker in `dir`. */
const filesOf = (dir) => ({
  dataDir: join(dir, 'data'),
  conf: join(dir, 'server.properties'),
  pidFile: join(dir, 'kafka.pid'),
  logFile: join(dir, 'kafka.log'),
});

/** The pid of the broker that runs in `dir`, or 0. Pids are reused, so its command line must name the folder. */
export const runningBroker = async (dir) => {
  const { conf, pidFile } = filesOf(dir);
  const pid = Number(read(pidFile));
  if (!(pid > 0)) return 0;
  const commandLine = existsSync('/proc')
    ? read(`/proc/${pid}/cmdline`)
    : (await run('ps', ['-o', 'args=', '-p', String(pid)])).output;
  return commandLine.includes(conf) ? pid : 0;
};

export const portOf = (dir) =>
  Number(/^listeners=PLAINTEXT:\/\/[^:]+:(\d+)/m.exec(read(filesOf(dir).conf))?.[1]);

const format = async (dir, java) => {
  const { dataDir, conf } = filesOf(dir);
  if (existsSync(join(dataDir, 'meta.properties'))) return;
  const id = randomBytes(16).toString('base64url').replace(/^-/, 'A'); // an id that starts with "-" is taken for an option
  const { code, output } = await run('java', [
    ...java,
    'kafka.tools.StorageTool',
    'format',
    '-t',
    id,
    '-c',
    conf,
  ]);
  if (code !== 0) throw new Stop(`The broker's storage could not be formatted:\n${output.slice(-2_000)}`);
};

/**
 * Starts a broker in `dir`, or a second time on the data of the first, and resolves when it is ready. Never a second
 * one on the same data: it would damage the first one's before it fails.
 */
export const startBroker = async ({ dir, port, controllerPort, guarded = false, settings = {} }) => {
  const { dataDir, conf, pidFile, logFile } = filesOf(dir);
  mkdirSync(dataDir, { recursive: true });
  if ((await runningBroker(dir)) > 0) throw new Stop(`A broker runs in ${dir} already.`);
  for (const one of [port, controllerPort]) await requireFree(one);
  const java = javaArguments({ libs: await kafkaLibs(), tmpDir: dir });
  const properties = { ...brokerProperties({ port, controllerPort, dataDir }), ...settings };
  writeFileSync(
    conf,
    Object.entries(properties)
      .map(([name, value]) => `${name}=${value}\n`)
      .join(''),
  );
  await format(dir, java);
  writeFileSync(pidFile, '');
  const log = openSync(logFile, 'w');
  const began = Date.now();
  const shell = spawn('/bin/sh', ['-c', LAUNCH, 'doska-kafka', 'java', ...java, 'kafka.Kafka', conf], {
    cwd: '/',
    detached: true, // a session of its own: Ctrl-C reaches us, not the broker
    stdio: [guarded ? 'pipe' : 'ignore', log, log],
    env: { ...process.env, PID_FILE: pidFile, GUARDED: guarded ? 'yes' : 'no' },
  });
  closeSync(log);
  let ended = false;
  shell.on('error', () => (ended = true));
  shell.on('exit', () => (ended = true));
  shell.stdin?.on('error', () => {});
  shell.unref();
  shell.stdin?.unref?.();
  while (!read(logFile).includes('Kafka Server started')) {
    if (ended || Date.now() - began > READY_MS) {
      const pid = await runningBroker(dir);
      if (pid > 0) process.kill(pid, 'SIGKILL');
      throw new Stop(`The broker did not start:\n${read(logFile).slice(-2_000)}`);
    }
    await pause(50);
  }
  const version = /Kafka version: (\S+)/.exec(read(logFile))?.[1] ?? 'unknown';
  return {
    pid: Number(read(pidFile)),
    port,
    address: `127.0.0.1:${port}`,
    version,
    readyMs: Date.now() - began,
  };
};

/** Ends the broker in `dir` and waits until it is gone; false when none ran. One that does not obey is killed. */
export const endBroker = async (dir, signal = 'SIGTERM', patienceMs = 15_000) => {
  const pid = await runningBroker(dir);
  if (pid === 0) return false;
  process.kill(pid, signal);
  for (const until = Date.now() + patienceMs; (await runningBroker(dir)) === pid; await pause(25))
    if (Date.now() > until) process.kill(pid, 'SIGKILL');
  return true;
};
