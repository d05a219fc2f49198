// `npm run generate`: the contracts in proto/ as TypeScript, offline. Does nothing when nothing changed.
// `npm run generate -- --accept`: also makes today's contracts the ones that later changes must not break.
import { spawnSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, readdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { dirname, join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const out = 'packages/adapters-proto/src/generated';
const stamp = join(root, out, '.stamp');
const require = createRequire(join(root, 'package.json'));

const tool = (name) => {
  try {
    const file = require.resolve(`${name}/package.json`);
    return { dir: dirname(file), version: JSON.parse(readFileSync(file, 'utf8')).version };
  } catch {
    console.error(`generate: ${name} is not installed; run npm ci`);
    process.exit(1);
  }
};
const bufPackage = tool('@bufbuild/buf');
const tsProto = tool('ts-proto');

/** Everything the result depends on, the tools' versions included. */
const fingerprint = () => {
  const protos = readdirSync(join(root, 'proto'), { recursive: true, encoding: 'utf8' }).filter((name) =>
    name.endsWith('.proto'),
  );
  const hash = createHash('sha256').update(`${bufPackage.version} ${tsProto.version}\0`);
  for (const name of [
    'buf.yaml',
    'buf.gen.yaml',
    'scripts/generate.mjs',
    ...protos.map((name) => `proto/${name}`).sort(),
    ...exampleFiles().map((name) => `proto/examples/${name}`),
  ]) {
    hash
      .update(`${name}\0`)
      .update(readFileSync(join(root, name)))
      .update('\0');
  }
  return hash.digest('hex');
};

// A directory of this process alone: two starts at once never see each other's half-written files.
const work = join(root, '.cache', `generate-${process.pid}`);

// The JavaScript launcher finds the platform's binary by itself: install scripts need not have run.
const buf = (...args) => {
  mkdirSync(work, { recursive: true });
  const { status, error } = spawnSync(process.execPath, [join(bufPackage.dir, 'bin', 'buf'), ...args], {
    cwd: root,
    stdio: ['ignore', 'inherit', 'inherit'],
    // The home directory may be missing or closed to us; PATH so that the plugin's `node` is the one that runs this script.
    env: {
      ...process.env,
      BUF_CACHE_DIR: join(work, 'buf'),
      PATH: `${dirname(process.execPath)}:${process.env.PATH ?? ''}`,
    },
  });
  if (error) throw error;
  if (status !== 0) throw new Error(`buf ${args[0]} failed with code ${status}`);
};

const descriptorModule = (bytes) => `/* eslint-disable */
// The contracts as a google.protobuf.FileDescriptorSet, imports included.
export const descriptorSetBase64 =
  ${JSON.stringify(bytes.toString('base64'))};
`;

/** What the contracts say in comments, by the full name of the thing. The numbers are those of descriptor.proto. */
const commentsOf = async (bytes) => {
  const { fromBinary } = await import('@bufbuild/protobuf');
  const { FileDescriptorSetSchema } = await import('@bufbuild/protobuf/wkt');
  const INSIDE = {
    file: { 4: ['messageType', 'message'], 5: ['enumType', 'enum'], 6: ['service', 'service'] },
    message: { 2: ['field', 'end'], 3: ['nestedType', 'message'], 4: ['enumType', 'enum'] },
    enum: { 2: ['value', 'end'] },
    service: { 2: ['method', 'end'] },
  };
  const nameAt = (file, path) => {
    let at = file;
    let kind = 'file';
    const names = [file.package];
    for (let i = 0; i < path.length; i += 2) {
      const [list, next] = INSIDE[kind]?.[path[i]] ?? [];
      at = list && at[list][path[i + 1]];
      if (!at) return undefined;
      kind = next;
      names.push(at.name);
    }
    return names.length > 1 ? names.join('.') : undefined;
  };
  const comments = {};
  for (const file of fromBinary(FileDescriptorSetSchema, bytes).file) {
    if (file.package.startsWith('google.')) continue;
    for (const { path, leadingComments } of file.sourceCodeInfo?.location ?? []) {
      const name = leadingComments && nameAt(file, path);
      // Lines of one paragraph belong together.
      if (name)
        comments[name] = leadingComments
          .trim()
          .replace(/\n ?(?!\n| *\n)/g, ' ')
          .replace(/ *\n */g, '\n\n');
    }
  }
  return comments;
};
const exampleFiles = () =>
  readdirSync(join(root, 'proto/examples'))
    .filter((name) => name.endsWith('.json'))
    .sort();
/** Calls that a reader of the HTTP API can repeat, in the order in which they work. */
const examples = () =>
  Object.assign(
    {},
    ...exampleFiles().map((name) => JSON.parse(readFileSync(join(root, 'proto/examples', name), 'utf8'))),
  );
const textsModule = (comments) => `/* eslint-disable */
// What the contracts say in comments, and examples of their calls.
export const comments: Readonly<Record<string, string>> = ${JSON.stringify(comments, undefined, 1)};
export const examples: unknown = ${JSON.stringify(examples(), undefined, 1)};
`;

const generate = async (wanted) => {
  buf('generate', '--output', work);
  const fresh = join(work, out);
  // Only the compiler of contracts needs the HTTP annotations.
  for (const unused of ['google/api', 'google/protobuf/descriptor.ts'])
    rmSync(join(fresh, unused), { recursive: true, force: true });
  const set = join(work, 'descriptors.binpb');
  buf('build', '--as-file-descriptor-set', '--exclude-source-info', '--output', set);
  writeFileSync(join(fresh, 'descriptors.ts'), descriptorModule(readFileSync(set)));
  const withComments = join(work, 'comments.binpb');
  buf('build', '--as-file-descriptor-set', '--output', withComments);
  writeFileSync(join(fresh, 'contract-texts.ts'), textsModule(await commentsOf(readFileSync(withComments))));
  writeFileSync(join(fresh, '.stamp'), wanted);
  mkdirSync(dirname(join(root, out)), { recursive: true });
  if (existsSync(join(root, out))) renameSync(join(root, out), join(work, 'old'));
  try {
    renameSync(fresh, join(root, out));
  } catch (error) {
    // Another process put its result there in between: the inputs are the same, so is the result.
    if (!existsSync(stamp)) throw error;
  }
};

try {
  const wanted = fingerprint();
  const current = existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted;
  if (!current) await generate(wanted);
  if (process.argv.includes('--accept'))
    buf('build', '--exclude-source-info', '--output', 'proto/base.binpb');
} catch (error) {
  console.error(`generate: ${error.message}`);
  process.exitCode = 1;
} finally {
  rmSync(work, { recursive: true, force: true });
}
