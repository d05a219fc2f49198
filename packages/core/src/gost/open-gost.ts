import { makePageTokens } from '../kernel/index.ts';
import { makeReadArchive } from './archive/read-archive.use-case.ts';
import { openProcessOffers } from './commit/process-offers.store.ts';
import { makeExportBell } from './export/export-bell.ts';
import type { GostNeeds, GostPorts } from './gost-needs.ts';
import { makeGostUseCases, type GostUseCases } from './gost-use-cases.ts';
import { makeGostWorkers, makeWorkerSteps, type GostWorkers } from './gost-workers.ts';
import { offerIdFrom } from './offer/offer-id.ts';
import type { GostSettings } from './settings.ts';

/** The offer store of one process. */
export type Gost = {
  /** What services call. */
  readonly useCases: GostUseCases;
  /** What a scheduler runs: under leases, on topics, or periodically. */
  readonly workers: GostWorkers;
  /** Commits what waits. Call it after the last use case and worker have ended. */
  close(): Promise<void>;
};

const ID_SYMBOLS = 12;

/** Everything behind the door, for `openGost` and for tests that take single steps. */
export const composeGost = ({ stores, ...ports }: GostPorts, settings: GostSettings) => {
  const { clock, random, blobs, codecs, signer } = ports;
  const bell = makeExportBell();
  const offers = openProcessOffers(stores.offers, {
    clock,
    ...settings.commit,
    onQueued: (shards) => bell.ring(shards),
  });
  const needs: GostNeeds = {
    ...ports,
    ...stores,
    offers,
    bell,
    settings,
    newOfferId: () => offerIdFrom(Array.from({ length: ID_SYMBOLS }, () => random.below(32))),
  };
  const readArchive = makeReadArchive({
    archive: stores.archive,
    blobs,
    codec: codecs.archived,
    readsMax: settings.archive.readsMax,
  });
  const useCases = makeGostUseCases(needs, readArchive, makePageTokens(signer));
  return { needs, readArchive, useCases, steps: makeWorkerSteps(needs, useCases) };
};

/** Opens the offer store. It owns the memory of offers and the grouping of commits: open it once in a process. */
export const openGost = (ports: GostPorts, settings: GostSettings): Gost => {
  const { needs, useCases, steps } = composeGost(ports, settings);
  return {
    useCases,
    workers: makeGostWorkers(needs, useCases, steps),
    close: () => needs.offers.close(),
  };
};
