import type { Triple, Verdict } from '@doska/core/vasgen';
import { err, ok, type Result } from 'neverthrow';
import { VerdictKind, type Place, type Verdict as PbVerdict } from '../generated/doska/vasgen/v1/document.ts';
import { enumTable } from '../enum-table.mapper.ts';
import { placeFromPb, placeToPb } from './document.mapper.ts';

const kinds = enumTable<Verdict['kind']>({
  accepted: VerdictKind.VERDICT_KIND_ACCEPTED,
  duplicate: VerdictKind.VERDICT_KIND_DUPLICATE,
  stale: VerdictKind.VERDICT_KIND_STALE,
  expired: VerdictKind.VERDICT_KIND_EXPIRED,
  invalid: VerdictKind.VERDICT_KIND_INVALID,
  too_old: VerdictKind.VERDICT_KIND_TOO_OLD,
  unknown_epoch: VerdictKind.VERDICT_KIND_UNKNOWN_EPOCH,
  unavailable: VerdictKind.VERDICT_KIND_UNAVAILABLE,
});

const tripleToPb = (triple: Triple): Place => placeToPb({ ...triple, kind: 'document' });
const tripleFromPb = (place: Place | undefined): Triple => {
  if (!place) return { epoch: 0, version: 0, timestampMs: 0 };
  const { epoch, version, timestampMs } = placeFromPb(place);
  return { epoch, version, timestampMs };
};

export const verdictToPb = (verdict: Verdict): PbVerdict => {
  const pb: PbVerdict = {
    kind: kinds.toPb(verdict.kind) as VerdictKind,
    conflict: false,
    decidedBy: '',
    sent: undefined,
    stored: undefined,
    violations: [],
    livingEpochs: [],
    horizonMs: 0n,
  };
  switch (verdict.kind) {
    case 'duplicate':
      pb.conflict = verdict.conflict;
      break;
    case 'stale':
      pb.decidedBy = verdict.decidedBy;
      pb.sent = tripleToPb(verdict.sent);
      pb.stored = tripleToPb(verdict.stored);
      break;
    case 'invalid':
      pb.sent = tripleToPb({ epoch: verdict.epoch, version: 0, timestampMs: 0 });
      pb.violations = verdict.violations.map(({ path, code, message }) => ({ field: path, code, message }));
      break;
    case 'too_old':
      pb.horizonMs = BigInt(verdict.horizonMs);
      break;
    case 'unknown_epoch':
      pb.livingEpochs = verdict.living.map(BigInt);
      break;
    case 'accepted':
    case 'expired':
    case 'unavailable':
  }
  return pb;
};

/** The error names the part that this version does not know. */
export const verdictFromPb = (pb: PbVerdict): Result<Verdict, string> => {
  const kind = kinds.fromPb(pb.kind);
  switch (kind) {
    case undefined:
      return err('verdict.kind');
    case 'duplicate':
      return ok({ kind, conflict: pb.conflict });
    case 'stale':
      if (pb.decidedBy !== 'version' && pb.decidedBy !== 'timestamp') return err('verdict.decided_by');
      return ok({
        kind,
        decidedBy: pb.decidedBy,
        sent: tripleFromPb(pb.sent),
        stored: tripleFromPb(pb.stored),
      });
    case 'invalid':
      return ok({
        kind,
        epoch: tripleFromPb(pb.sent).epoch,
        violations: pb.violations.map(({ field, code, message }) => ({ path: field, code, message })),
      });
    case 'too_old':
      return ok({ kind, horizonMs: Number(pb.horizonMs) });
    case 'unknown_epoch':
      return ok({ kind, living: pb.livingEpochs.map(Number) });
    case 'accepted':
    case 'expired':
    case 'unavailable':
      return ok({ kind });
  }
};
