import type { EpochSchema } from '../schema/epoch-schema.ts';

/**
 * - `building`: gets documents, answers no query yet. `serving`: answers queries, one a client.
 * - `retained`: served before, still gets documents, so that a rollback lands on a fresh index.
 * An epoch that is finished has no row.
 */
export type EpochState = 'building' | 'serving' | 'retained';
export type Epoch = { readonly epoch: number; readonly state: EpochState; readonly schema: EpochSchema };
/** The living epochs of a client, ascending. `version` counts changes of their states, not growths of schemas. */
export type ClientEpochs = { readonly version: number; readonly epochs: readonly Epoch[] };
export type EpochStates = readonly { readonly epoch: number; readonly state: EpochState }[];

export const livingEpochs = ({ epochs }: ClientEpochs): readonly number[] => epochs.map(({ epoch }) => epoch);
export const epochOf = ({ epochs }: ClientEpochs, epoch: number): Epoch | undefined =>
  epochs.find((one) => one.epoch === epoch);
export const servingEpoch = ({ epochs }: ClientEpochs): Epoch | undefined =>
  epochs.find(({ state }) => state === 'serving');
