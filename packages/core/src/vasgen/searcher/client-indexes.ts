import type { ClientName } from '../document/raw-document.ts';
import { indexName, servingName, type IndexName, type ServingName } from '../engine/index-name.ts';
import { livingEpochs, servingEpoch, type ClientEpochs } from '../epochs/epoch.ts';

/** The index of an epoch. Names of clients have no `_`, so no two clients share a name. */
export const indexOf = (client: ClientName, epoch: number): IndexName => indexName(`${client}_${epoch}`)!;
export const servingOf = (client: ClientName): ServingName => servingName(client)!;

/** The epoch of an index of this client; undefined if it is another client's. */
export const epochOfIndex = (client: ClientName, index: string): number | undefined => {
  const prefix = `${client}_`;
  return index.startsWith(prefix) ? Number(index.slice(prefix.length)) : undefined;
};

/** What a searcher does to have exactly the indexes of the living epochs. */
export type IndexSteps = {
  readonly make: readonly number[];
  readonly drop: readonly number[];
  readonly serve: number | undefined;
};
/** An index that serves is dropped only after another one serves. */
export const indexSteps = (present: readonly number[], epochs: ClientEpochs): IndexSteps => {
  const living = livingEpochs(epochs);
  const serve = servingEpoch(epochs)?.epoch;
  return {
    make: living.filter((epoch) => !present.includes(epoch)),
    drop: serve === undefined ? [] : present.filter((epoch) => !living.includes(epoch)),
    serve,
  };
};
