import { err, type Result } from 'neverthrow';
import { Signal, type Clock, type JobSpec } from '../kernel/index.ts';
import { explainSection, type ExplainedOption } from './config/explain.ts';
import type { LoadedConfig } from './config/loaded-config.ts';
import type { WrongConfig } from './config/section.ts';
import { loadConfig, type ConfigSource, type LoadSettings } from './content/load-config.ts';
import type { PartsRegistry } from './content/registry.ts';
import type { JsonSchemas } from './content/snippet-parts.ts';
import { makeBulkSnippets, type BulkLimits, type BulkSnippets } from './bulk/bulk-snippets.use-case.ts';
import { makeDeleteSnippet, type DeleteSnippet } from './requests/delete-snippet.use-case.ts';
import { makeGetSnippets, type GetSnippets } from './requests/get-snippets.use-case.ts';
import { makeMultiGet, type MultiGet } from './requests/multi-get.use-case.ts';
import { makePutSnippet, type PutSnippet, type WriteLimits } from './requests/put-snippet.use-case.ts';
import type { DeleteError, PutError } from './requests/snippet-errors.ts';
import { makeReadQueue } from './requests/read-queue.use-case.ts';
import { makeWriteQueue } from './requests/write-queue.use-case.ts';
import type { SnippetStore } from './store/snippet-store.port.ts';
import { makePrefixUpkeep, type PrefixUpkeep } from './upkeep/prefix-upkeep.use-case.ts';
import { purgeJob } from './upkeep/purge-snippets.job.ts';

/** What the snippet service needs from outside. */
export type SnippetPorts = {
  readonly store: SnippetStore;
  readonly parts: PartsRegistry;
  readonly schemas: JsonSchemas;
  readonly clock: Clock;
};
export type SnippetSettings = WriteLimits &
  LoadSettings &
  BulkLimits & {
    /** How long a tombstone is kept. It must be longer than topics keep their records and than the longest retry. */
    readonly tombstoneMs: number;
    readonly purgeEveryMs: number;
    /** The bytes of all contents in an answer of `multiGet`. */
    readonly answerBytesMax: number;
    /** Requests that may wait for the store. */
    readonly waitingMax: number;
  };
const DAY_MS = 86_400_000;
export const defaultSnippetSettings: SnippetSettings = {
  keyBytesMax: 512,
  contentBytesMax: 256 * 1024,
  commitBytesMax: 1_000_000,
  jsonDepthMax: 200,
  services: ['snippets'],
  sharesRootPath: true,
  tombstoneMs: 30 * DAY_MS,
  purgeEveryMs: 60_000,
  answerBytesMax: 4_000_000,
  waitingMax: 10_000,
  bulkAtOnce: 64,
};

/** The snippet service of one process. */
export type Snippets = {
  readonly useCases: PrefixUpkeep & {
    readonly put: PutSnippet;
    readonly remove: DeleteSnippet;
    readonly bulk: BulkSnippets<PutError | DeleteError>;
    readonly get: GetSnippets;
    readonly multiGet: MultiGet;
    /** Each option of a section with the section that sets it. Undefined: there is no such section. */
    readonly explain: (name: string) => readonly ExplainedOption[] | undefined;
    /** Takes over a config that `loadConfig` made. Requests that have begun end with the old one. */
    readonly use: (next: LoadedConfig) => void;
    /** The config that requests work with now. */
    readonly current: () => LoadedConfig;
    /** A signal that aborts when the next config is taken over. */
    readonly changed: () => AbortSignal;
  };
  readonly workers: { readonly purge: JobSpec };
  readonly close: () => Promise<void>;
};

/** Opens the snippet service with its first config. A wrong config opens nothing. */
export const openSnippets = (
  ports: SnippetPorts,
  settings: SnippetSettings,
  source: ConfigSource,
): Result<Snippets, WrongConfig> => {
  const { store, clock } = ports;
  const first = loadConfig(source, ports, settings);
  if (first.isErr()) return err(first.error);
  let loaded = first.value;
  return first.map(() => {
    const current = (): LoadedConfig => loaded;
    const changes = new Signal();
    const { keyBytesMax, answerBytesMax, waitingMax } = settings;
    const writes = makeWriteQueue(store, clock, settings);
    const reads = makeReadQueue(store, clock, waitingMax);
    const { read } = reads;
    const put = makePutSnippet({ current, writes, limits: settings });
    const remove = makeDeleteSnippet({ current, writes, keyBytesMax });
    return {
      useCases: {
        put,
        remove,
        bulk: makeBulkSnippets<PutError | DeleteError>({ put, remove, limits: settings }),
        get: makeGetSnippets({ current, read, keyBytesMax }),
        multiGet: makeMultiGet({ current, read, keyBytesMax, answerBytesMax }),
        ...makePrefixUpkeep(store, current),
        explain: (name) => explainSection(loaded.config, name),
        use: (next) => {
          loaded = next;
          changes.notify();
        },
        current,
        changed: () => changes.wait,
      },
      workers: { purge: purgeJob(store, settings) },
      close: async () => {
        await Promise.all([writes.close(), reads.close()]);
      },
    };
  });
};
