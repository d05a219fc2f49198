import { spawnSync } from 'node:child_process';
import { accessSync, constants, existsSync, mkdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join } from 'node:path';
import { run } from './child.mjs';
import { KAFKA_VERSION, POM } from './kafka-settings.mjs';
import { withLock } from './lock.mjs';
import { inRoot, say, Stop } from './terminal.mjs';

const PLUGIN = 'org.apache.maven.plugins:maven-dependency-plugin:3.6.1:copy-dependencies';
const home = inRoot('.cache/kafka');

const runs = (program, ...args) => spawnSync(program, args, { stdio: 'ignore' }).status === 0;

/** What is missing to run a broker here, in words; empty when nothing is. Jars that were fetched need no Maven. */
export const missingForKafka = () => [
  ...(runs('java', '-version') ? [] : ['Java (java)']),
  ...(existsSync(join(home, `libs-${KAFKA_VERSION}`)) || runs('mvn', '-version') ? [] : ['Maven (mvn)']),
];

const isWritable = (dir) => {
  try {
    accessSync(dir, constants.W_OK);
    return true;
  } catch {
    return false;
  }
};

const fetchJars = async (libs) => {
  say(`Fetching Apache Kafka ${KAFKA_VERSION} with Maven (once) …`);
  const parts = `${libs}.part-${process.pid}`;
  mkdirSync(parts, { recursive: true });
  writeFileSync(join(parts, 'pom.xml'), POM);
  const { code, output } = await run('mvn', [
    ...['-B', '-q', '-f', join(parts, 'pom.xml'), PLUGIN],
    ...['-DincludeScope=runtime', `-DoutputDirectory=${parts}`],
    ...(isWritable(homedir()) ? [] : [`-Dmaven.repo.local=${join(home, 'm2')}`]),
  ]);
  if (code !== 0) {
    rmSync(parts, { recursive: true, force: true });
    throw new Stop(`${output.trim()}\nMaven could not fetch Apache Kafka ${KAFKA_VERSION}.`);
  }
  renameSync(parts, libs); // whole or not at all
};

/** The folder with the broker's jars, fetched when first asked for. */
export const kafkaLibs = async () => {
  const libs = join(home, `libs-${KAFKA_VERSION}`);
  if (existsSync(libs)) return libs;
  const wait = (pid) => say(`Process ${pid} is fetching Apache Kafka; waiting for it …`);
  await withLock(join(home, 'jars.lock'), wait, async () => {
    if (!existsSync(libs)) await fetchJars(libs);
  });
  return libs;
};
