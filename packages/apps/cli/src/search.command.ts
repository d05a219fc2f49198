import { setTimeout } from 'node:timers/promises';
import { searchUpkeepClient, type ToldFinding } from '@doska/adapters-grpc';
import type { ReindexMode } from '@doska/core/search';
import { err, ok } from 'neverthrow';
import { problem, type CommandResult } from './outcome.ts';
import { table } from './output.ts';
import { connect } from './platform.ts';
import { makeProgress } from './progress.ts';
import { refusalInWords } from './refusal.ts';

export type ReindexOptions = {
  readonly epoch?: string;
  readonly category?: string;
  readonly from?: string;
};
export type AuditOptions = ReindexOptions & { readonly repair?: boolean };

/** Findings that are printed; all of them are counted. */
const SHOWN_MAX = 20;

const counted = (findings: readonly ToldFinding[]): Readonly<Record<string, number>> => {
  const counts: Record<string, number> = { missing: 0, ghost: 0, failed: 0 };
  for (const { kind } of findings) counts[kind] = (counts[kind] ?? 0) + 1;
  return counts;
};
type Seen = Readonly<Record<string, number>>;
const wordsOf = (mode: ReindexMode, { offers, documents, compare = 0 }: Seen, sent: number): string =>
  mode === 'audit'
    ? `${offers} offers and ${documents} documents compared.`
    : [
        `${offers} offers and ${documents} documents looked at, ${sent} documents sent to the index.`,
        ...(compare > 0 ? [`${compare} documents of the building and the serving epoch compared.`] : []),
      ].join('\n');

const walk = async (mode: ReindexMode, options: ReindexOptions): Promise<CommandResult> => {
  const channel = connect();
  if (channel.isErr()) return err(channel.error);
  const upkeep = searchUpkeepClient(channel.value);
  const progress = makeProgress({
    stream: process.stderr,
    nowMs: () => Date.now(),
    unit: 'offers and documents',
  });
  const seen: Record<string, number> = { offers: 0, documents: 0 };
  const findings: ToldFinding[] = [];
  let sent = 0;
  for (let cursor = options.from ?? ''; ;) {
    const slice = await upkeep.reindex({
      mode,
      epoch: Number(options.epoch ?? 0),
      category: options.category ?? '',
      cursor,
    });
    if (slice.isErr()) {
      progress.end();
      channel.value.close();
      const refusal = refusalInWords('The search scheduler', slice.error);
      return err(
        cursor === ''
          ? refusal
          : problem(`${refusal.message}\nContinue with --from '${cursor}'.`, refusal.exitCode),
      );
    }
    seen[slice.value.pass] = (seen[slice.value.pass] ?? 0) + slice.value.seen;
    sent += slice.value.sent;
    findings.push(...slice.value.findings);
    progress.at(Object.values(seen).reduce((sum, n) => sum + n, 0));
    cursor = slice.value.nextCursor;
    if (cursor === '') break;
    if (slice.value.waitMs > 0) await setTimeout(slice.value.waitMs);
  }
  progress.end();
  channel.value.close();
  const counts = counted(findings);
  const shown = findings.slice(0, SHOWN_MAX);
  return ok({
    value: { ...seen, sent, ...counts, findings },
    text: [
      wordsOf(mode, seen, sent),
      `${counts['missing']} missing or old, ${counts['ghost']} that should not be there, ${counts['failed']} not convertible.`,
      ...(shown.length === 0 ? [] : [table(['offerId', 'kind', 'epoch', 'reason'], shown)]),
      ...(findings.length > SHOWN_MAX ? [`… and ${findings.length - SHOWN_MAX} more (--json has all).`] : []),
    ].join('\n'),
  });
};

/** Sends every active offer to the index again, and deletes documents whose offers are gone. */
export const searchReindex = (options: ReindexOptions): Promise<CommandResult> => walk('reindex', options);
/** Compares the offer store with the index. */
export const searchAudit = ({ repair = false, ...options }: AuditOptions): Promise<CommandResult> =>
  walk(repair ? 'repair' : 'audit', options);
