import { setTimeout as pause } from 'node:timers/promises';
import {
  snippetAdminClient,
  snippetClient,
  type RpcError,
  type SnippetAdminClient,
  type SnippetClient,
} from '@doska/adapters-grpc';
import { makeStoredCheck, type KeyedSnippet, type Leaf, type StoredCheck } from '@doska/core/snippets';
import { err, ok, type Result } from 'neverthrow';
import { numberArgument } from './number-argument.ts';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { connect } from './platform.ts';
import { makeProgress } from './progress.ts';
import { refusalInWords } from './refusal.ts';
import { loadSnippetFiles, type SnippetFileOptions } from './snippets-config.command.ts';

export type DryRunOptions = SnippetFileOptions & { readonly section?: string; readonly perSecond?: string };

const PAGE = 200;
const PER_SECOND = 2_000;
const EXAMPLES_MAX = 3;

type Clients = { readonly admin: SnippetAdminClient; readonly snippets: SnippetClient };
type Section = {
  readonly section: string;
  live: number;
  refused: number;
  readonly examples: { key: string; language: string; reason: string }[];
};

/** Reads snippets. Contents that are too large for one answer are asked for in halves. */
const read = async (
  snippets: SnippetClient,
  name: string,
  keys: readonly string[],
  language: string,
): Promise<Result<readonly KeyedSnippet[], RpcError>> => {
  const found = await snippets.multiGet({ names: [name], keys, language });
  const isTooLarge =
    found.isErr() && found.error.kind === 'Rejected' && found.error.reason === 'TooLarge' && keys.length > 1;
  if (!isTooLarge) return found;
  const half = keys.length >> 1;
  const first = await read(snippets, name, keys.slice(0, half), language);
  if (first.isErr()) return first;
  const second = await read(snippets, name, keys.slice(half), language);
  return second.map((rest) => [...first.value, ...rest]);
};

/** The live snippets of a section, page by page. */
async function* storedIn(
  { admin, snippets }: Clients,
  { name, service, kps }: Leaf,
): AsyncGenerator<Result<readonly KeyedSnippet[], RpcError>> {
  type After = { readonly key: string; readonly language: string };
  for (let after: After | undefined; ;) {
    const keys = await admin.listKeys({ service, kps, limit: PAGE, ...(after ? { after } : {}) });
    if (keys.isErr()) {
      yield err(keys.error);
      return;
    }
    const last = keys.value.at(-1);
    if (!last) return;
    const live = keys.value.filter(({ isTombstone }) => !isTombstone);
    for (const language of new Set(live.map((one) => one.language))) {
      const asked = live.filter((one) => one.language === language).map(({ key }) => key);
      const found = await read(snippets, name, asked, language);
      if (found.isErr()) {
        yield err(found.error);
        return;
      }
      // A key that was deleted meanwhile may be answered in another language.
      yield ok(found.value.filter((one) => one.language === language));
    }
    after = { key: last.key, language: last.language };
  }
}

const judged = async (
  clients: Clients,
  leaf: Leaf,
  check: StoredCheck,
  seen: (count: number) => Promise<void>,
): Promise<Result<Section, RpcError>> => {
  const counted: Section = { section: leaf.name, live: 0, refused: 0, examples: [] };
  for await (const page of storedIn(clients, leaf)) {
    if (page.isErr()) return err(page.error);
    for (const stored of page.value) {
      counted.live++;
      const [violation] = await check(leaf, stored);
      if (!violation) continue;
      const { key, language } = stored;
      const reason = violation.path === '' ? violation.message : `${violation.path}: ${violation.message}`;
      if (counted.refused++ < EXAMPLES_MAX) counted.examples.push({ key, language, reason });
    }
    await seen(page.value.length);
  }
  return ok(counted);
};

/** How many live snippets a new configuration would refuse. Nothing is changed. */
export const snippetsDryRun = async ({
  section,
  perSecond,
  ...files
}: DryRunOptions): Promise<CommandResult> => {
  const rate = numberArgument('--per-second', perSecond);
  if (rate.isErr()) return err(rate.error);
  const found = await loadSnippetFiles(files);
  if (found.isErr()) return err(found.error);
  const { file, loaded, schemas, settings } = found.value;
  const all = [...loaded.config.sections.values()].flatMap(({ targets }) => targets);
  const leaves = [...new Map(all.map((leaf) => [leaf.name, leaf])).values()].filter(
    ({ name }) => section === undefined || name === section,
  );
  if (leaves.length === 0)
    return err(problem(`${file} has no section "${section ?? ''}" that stores snippets.`, EXIT.refused));
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const clients = {
    admin: snippetAdminClient(channel.value),
    snippets: snippetClient(channel.value, { readMs: 10_000 }),
  };
  const progress = makeProgress({ stream: process.stderr, nowMs: () => Date.now(), unit: 'snippets' });
  const startedMs = performance.now();
  let done = 0;
  const seen = async (count: number): Promise<void> => {
    done += count;
    progress.at(done);
    const dueMs = (done * 1_000) / Math.max(1, rate.value ?? PER_SECOND);
    await pause(Math.max(0, dueMs - (performance.now() - startedMs)));
  };
  const check = makeStoredCheck(loaded, schemas, settings);
  const sections: Section[] = [];
  try {
    for (const leaf of leaves) {
      const one = await judged(clients, leaf, check, seen);
      // A section that only the new configuration has stores nothing yet.
      if (one.isErr() && one.error.kind === 'Rejected' && one.error.reason === 'UnknownSection') continue;
      if (one.isErr()) return err(refusalInWords('The snippet service', one.error));
      sections.push(one.value);
    }
  } finally {
    progress.end();
    channel.value.close();
  }
  const examples = sections.flatMap((one) =>
    one.examples.map((example) => ({ section: one.section, ...example })),
  );
  const counts = sections.map(({ section: name, live, refused }) => ({ section: name, live, refused }));
  return ok({
    value: { sections: counts, examples },
    text: [
      table(['section', 'live', 'refused'], counts),
      ...(examples.length > 0 ? ['', table(['section', 'key', 'language', 'reason'], examples)] : []),
    ].join('\n'),
    ...(examples.length > 0 ? { exitCode: EXIT.trouble } : {}),
  });
};
