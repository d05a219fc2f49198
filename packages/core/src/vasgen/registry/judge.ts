import type { Violation } from '../../kernel/index.ts';
import { documentFaults, type DocumentLimits } from '../document/document-rules.ts';
import { compareFreshness } from '../document/freshness.ts';
import { indexChangeOf } from '../document/index-change-of.ts';
import { placeOf, type RawDocument } from '../document/raw-document.ts';
import { changeFaults } from '../engine/index-change.ts';
import { epochOf, livingEpochs, type ClientEpochs } from '../epochs/epoch.ts';
import { emptySchema, schemaFor, statedSchema, type EpochSchema } from '../schema/epoch-schema.ts';
import type { Lane, RegistryRow, RowHead } from './registry-row.ts';

/** A place without its kind, as clients know it. */
export type Triple = { readonly epoch: number; readonly version: number; readonly timestampMs: number };

export type Verdict =
  | { readonly kind: 'accepted' }
  /** It is fresher than what stood, but its ttl has run out: a tombstone was written. */
  | { readonly kind: 'expired' }
  /** The same triple stands already. `conflict`: with other content, which stays. */
  | { readonly kind: 'duplicate'; readonly conflict: boolean }
  | {
      readonly kind: 'stale';
      readonly decidedBy: 'version' | 'timestamp';
      readonly sent: Triple;
      readonly stored: Triple;
    }
  | { readonly kind: 'invalid'; readonly epoch: number; readonly violations: readonly Violation[] }
  /** Composed before the horizon, and no row of this document exists. */
  | { readonly kind: 'too_old'; readonly horizonMs: number }
  | { readonly kind: 'unknown_epoch'; readonly living: readonly number[] }
  /** The outcome of its transaction is unknown: send it again. */
  | { readonly kind: 'unavailable' };

/** A document with its stored form. */
export type Received = {
  readonly document: RawDocument;
  readonly lane: Lane;
  readonly body: Uint8Array;
  readonly contentHash: string;
};
export type JudgeSettings = {
  readonly limits: DocumentLimits;
  /** How long tombstones are remembered. */
  readonly horizonMs: number;
};

/** All that a commit must make true. */
export type Judgement =
  | {
      readonly kind: 'write';
      readonly verdict: Extract<Verdict, { kind: 'accepted' | 'expired' }>;
      readonly row: RegistryRow;
      /** The schema that the epoch must have afterwards, if this document adds fields. */
      readonly growth: EpochSchema | undefined;
      /** The bodies of this document must leave the archive too. */
      readonly erases: boolean;
    }
  | {
      readonly kind: 'keep';
      readonly verdict: Extract<Verdict, { kind: 'duplicate' | 'stale' }>;
      /** The stored row waits in `bulk`: add an element for it to `main`, so that the live document does not wait for a re-index. */
      readonly raise: boolean;
    }
  | {
      readonly kind: 'refuse';
      readonly verdict: Extract<Verdict, { kind: 'invalid' | 'too_old' | 'unknown_epoch' }>;
    };

export const tripleOf = ({ epoch, version, timestampMs }: Triple): Triple => ({
  epoch,
  version,
  timestampMs,
});

/** Whether a stored row that a live document did not replace is to be published without waiting for `bulk`. */
export const isRaised = (lane: Lane, version: number, stored: Pick<RowHead, 'lane' | 'place'>): boolean =>
  lane === 'main' && stored.lane === 'bulk' && stored.place.version === version;

const keep = ({ document, lane, contentHash }: Received, stored: RowHead): Judgement => {
  const { version, composedAtMs } = document;
  const raise = isRaised(lane, version, stored);
  const { version: storedVersion, timestampMs } = stored.place;
  if (version === storedVersion && composedAtMs === timestampMs)
    return {
      kind: 'keep',
      verdict: { kind: 'duplicate', conflict: stored.contentHash !== contentHash },
      raise,
    };
  const decidedBy = version === storedVersion ? 'timestamp' : 'version';
  const sent = tripleOf(placeOf(document));
  return {
    kind: 'keep',
    verdict: { kind: 'stale', decidedBy, sent, stored: tripleOf(stored.place) },
    raise,
  };
};

const rowOf = (
  { document, lane, body, contentHash }: Received,
  schema: number,
  nowMs: number,
): RegistryRow => {
  const { pk, event, expiresAtMs } = document;
  const common = { pk, writtenAtMs: nowMs, schema, lane, contentHash };
  const isExpired = event === 'upsert' && expiresAtMs !== undefined && expiresAtMs <= nowMs;
  if (event === 'upsert' && !isExpired)
    return { ...common, place: placeOf(document), status: 'alive', expiresAtMs, body };
  const kind = isExpired ? 'expiry' : 'document';
  const place = { ...placeOf(document), kind } as const;
  return { ...common, place, status: 'tombstone', expiresAtMs: undefined, body: undefined };
};

/** What is wrong with the document, whatever is stored. */
const faultsOf = (
  document: RawDocument,
  growth: ReturnType<typeof schemaFor>,
  nowMs: number,
  limits: DocumentLimits,
): readonly Violation[] => [
  ...documentFaults(document, nowMs, limits),
  ...(growth.isErr() ? growth.error : []),
  ...changeFaults(statedSchema(document), document.epoch, indexChangeOf(document)),
];

/** What a document asks for before the stored row is known. */
export type Proposal =
  | Extract<Judgement, { kind: 'refuse' }>
  | (Extract<Judgement, { kind: 'write' }> & {
      /**
       * False if it was composed before the horizon: then it may only replace a row. An epoch that is being built takes
       * old documents too: no deletion in it is forgotten yet.
       */
      readonly mayBeFirst: boolean;
    });

export const propose = (
  received: Received,
  epochs: ClientEpochs,
  nowMs: number,
  { limits, horizonMs }: JudgeSettings,
): Proposal => {
  const { document } = received;
  const living = epochOf(epochs, document.epoch);
  const growth = schemaFor(living?.schema ?? emptySchema, document);
  const violations = faultsOf(document, growth, nowMs, limits);
  if (violations.length > 0)
    return { kind: 'refuse', verdict: { kind: 'invalid', epoch: document.epoch, violations } };
  if (!living) return { kind: 'refuse', verdict: { kind: 'unknown_epoch', living: livingEpochs(epochs) } };
  const grown = growth.isOk() ? growth.value : undefined;
  const row = rowOf(received, (grown ?? living.schema).number, nowMs);
  return {
    kind: 'write',
    verdict: { kind: row.place.kind === 'expiry' ? 'expired' : 'accepted' },
    row,
    growth: grown,
    erases: document.event === 'erase',
    mayBeFirst: living?.state === 'building' || document.composedAtMs >= nowMs - horizonMs,
  };
};

/** What becomes of a proposal, now that the row of its pk and epoch is known. An equal or fresher row stays. */
export const settle = (
  received: Received,
  proposal: Extract<Proposal, { kind: 'write' }>,
  stored: RowHead | undefined,
  { horizonMs }: Pick<JudgeSettings, 'horizonMs'>,
): Judgement => {
  if (stored && compareFreshness(placeOf(received.document), stored.place) <= 0)
    return keep(received, stored);
  const { mayBeFirst, ...write } = proposal;
  return stored || mayBeFirst ? write : { kind: 'refuse', verdict: { kind: 'too_old', horizonMs } };
};

/** The one decision about a received document. `stored` is the row of its pk and epoch; rows of other epochs have no say. */
export const judge = (
  received: Received,
  stored: RowHead | undefined,
  epochs: ClientEpochs,
  nowMs: number,
  settings: JudgeSettings,
): Judgement => {
  const proposal = propose(received, epochs, nowMs, settings);
  return proposal.kind === 'refuse' ? proposal : settle(received, proposal, stored, settings);
};

/** The tombstone of a document whose ttl has run out, with the document's own triple. None while it lives on. */
export const expiryOf = (stored: RowHead, nowMs: number): RegistryRow | undefined => {
  const { status, expiresAtMs, place, pk, schema, contentHash } = stored;
  if (status !== 'alive' || expiresAtMs === undefined || expiresAtMs > nowMs) return undefined;
  return {
    pk,
    place: { ...place, kind: 'expiry' },
    status: 'tombstone',
    expiresAtMs: undefined,
    writtenAtMs: nowMs,
    schema,
    lane: 'main',
    contentHash,
    body: undefined,
  };
};
