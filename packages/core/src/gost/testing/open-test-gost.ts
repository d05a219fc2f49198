import { ok } from 'neverthrow';
import {
  makePageTokens,
  silentTelemetry,
  type BlobStore,
  type Clock,
  type GenericStorage,
  type LogPublisher,
  type Random,
} from '../../kernel/index.ts';
import { inMemoryBlobStore, inMemoryGenericStorage, memoryDatabase } from '../../kernel/testing.ts';
import type { FlowCodecs } from '../flow-codecs.port.ts';
import type { GostCodecs } from '../gost-codecs.port.ts';
import type { GostStores } from '../gost-stores.port.ts';
import { makeGostWorkers } from '../gost-workers.ts';
import { composeGost } from '../open-gost.ts';
import { defaultGostSettings, type GostSettings } from '../settings.ts';
import { jsonFlowCodecs, jsonGostCodecs } from './json-codecs.ts';
import { sampleCatalog, sampleGeocoder } from './samples.ts';

export type TestGostNeeds = {
  readonly stores: GostStores;
  readonly clock: Clock;
  readonly random: Random;
  readonly newName: () => string;
  readonly settings?: Partial<GostSettings>;
  readonly codecs?: Partial<GostCodecs & FlowCodecs>;
  readonly log?: LogPublisher;
  readonly storage?: GenericStorage;
  /** Where the archive's segments are. */
  readonly blobs?: BlobStore;
};

/** A seal that any test can make. */
const testSigner = {
  sign: (text: string): string => `s${text.length}`,
  verify: (text: string, seal: string): boolean => seal === `s${text.length}`,
};
const noLog: LogPublisher = {
  promises: { fences: false },
  publish: () => {
    throw new Error('this test brings no log');
  },
} as unknown as LogPublisher;
/** So little memory that offers are forgotten too; commits wait for nothing. */
const COMMIT = { lingerMs: 0, groupsMax: 2, memoryBytes: 10_000 };

/** The offer store over these stores, with the sample catalogue: its use cases, and the single steps of its workers. */
export const openTestGost = ({
  stores,
  clock,
  random,
  newName,
  settings,
  codecs,
  log,
  storage,
  blobs,
}: TestGostNeeds) => {
  const all = { ...defaultGostSettings, ...settings, commit: COMMIT };
  const { needs, useCases, steps, readArchive } = composeGost(
    {
      stores,
      codecs: { ...jsonGostCodecs, ...jsonFlowCodecs, ...codecs },
      log: log ?? noLog,
      storage: storage ?? inMemoryGenericStorage(memoryDatabase({ nowMs: () => clock.nowMs() })),
      blobs: blobs ?? inMemoryBlobStore(),
      catalog: () => ok(sampleCatalog),
      geocoder: sampleGeocoder,
      clock,
      random,
      ids: { next: newName },
      telemetry: silentTelemetry,
      signer: testSigner,
    },
    all,
  );
  const workers = makeGostWorkers(needs, useCases, steps);
  return { ...useCases, ...steps, workers, readArchive, tokens: makePageTokens(testSigner) };
};
export type TestGost = ReturnType<typeof openTestGost>;
