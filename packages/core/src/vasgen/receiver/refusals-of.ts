import type { RawDocument } from '../document/raw-document.ts';
import { PK_BYTES_MAX } from '../engine/index-change.ts';
import type { Verdict } from '../registry/judge.ts';
import type { Refusal } from './refusal.ts';

const REASON_CHARS_MAX = 1_000;
const REFUSALS_MAX = 1_000;

const reasonOf = (verdict: Verdict): string => {
  if (verdict.kind === 'invalid')
    return verdict.violations
      .map(({ path, message }) => (path === '' ? message : `${path}: ${message}`))
      .join('; ');
  if (verdict.kind === 'unknown_epoch') return `living epochs: ${verdict.living.join(', ')}`;
  return 'composed before the horizon';
};
/** Only what a store can keep: a pk that breaks its bounds is no key. */
const isStorable = ({ pk, epoch, version, composedAtMs }: RawDocument): boolean =>
  pk !== '' &&
  pk.length <= PK_BYTES_MAX &&
  !pk.includes('\0') &&
  pk.isWellFormed() &&
  [epoch, version, composedAtMs].every((n) => Number.isSafeInteger(n) && n >= 0);

/** What to remember of the refused documents of a call; the first of very many. */
export const refusalsOf = (
  documents: readonly RawDocument[],
  verdicts: readonly Verdict[],
  nowMs: number,
): readonly Refusal[] =>
  verdicts
    .flatMap((verdict, i): Refusal[] => {
      if (verdict.kind !== 'invalid' && verdict.kind !== 'too_old' && verdict.kind !== 'unknown_epoch')
        return [];
      const document = documents[i]!;
      if (!isStorable(document)) return [];
      const { pk, epoch, version, composedAtMs } = document;
      const reason = reasonOf(verdict).replaceAll('\0', ' ').slice(0, REASON_CHARS_MAX);
      return [{ pk, epoch, version, timestampMs: composedAtMs, verdict: verdict.kind, reason, atMs: nowMs }];
    })
    .slice(0, REFUSALS_MAX);
