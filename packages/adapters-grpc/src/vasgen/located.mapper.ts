import type { LocateDocumentResponse } from '@doska/adapters-proto/generated/doska/vasgen/v1/queue_service';
import type { LocatedDocument } from '@doska/core/vasgen';

export const locatedToPb = ({ epochs, refusals }: LocatedDocument): LocateDocumentResponse => ({
  epochs: epochs.map(({ epoch, state, row, waiting, failure }) => ({
    epoch: BigInt(epoch),
    serving: state === 'serving',
    state: row?.status ?? 'none',
    version: BigInt(row?.place.version ?? 0),
    timestampMs: BigInt(row?.place.timestampMs ?? 0),
    writtenAtMs: BigInt(row?.writtenAtMs ?? 0),
    lane: row?.lane ?? '',
    waiting: BigInt(waiting),
    failure: failure?.failure.reason ?? '',
  })),
  refusals: refusals.map(({ epoch, version, timestampMs, verdict, reason, atMs }) => ({
    epoch: BigInt(epoch),
    version: BigInt(version),
    timestampMs: BigInt(timestampMs),
    verdict,
    reason,
    atMs: BigInt(atMs),
  })),
});

/** A document on its way, as the command line tells it. */
export type ToldRow = {
  readonly epoch: number;
  readonly serving: boolean;
  readonly state: string;
  readonly version: number;
  readonly waiting: number;
  readonly failure: string;
};
export type ToldRefusal = {
  readonly epoch: number;
  readonly version: number;
  readonly verdict: string;
  readonly reason: string;
};
export type ToldLocation = {
  readonly epochs: readonly ToldRow[];
  readonly refusals: readonly ToldRefusal[];
};
export const locatedFromPb = ({ epochs, refusals }: LocateDocumentResponse): ToldLocation => ({
  epochs: epochs.map(({ epoch, serving, state, version, waiting, failure }) => ({
    epoch: Number(epoch),
    serving,
    state,
    version: Number(version),
    waiting: Number(waiting),
    failure,
  })),
  refusals: refusals.map(({ epoch, version, verdict, reason }) => ({
    epoch: Number(epoch),
    version: Number(version),
    verdict,
    reason,
  })),
});
