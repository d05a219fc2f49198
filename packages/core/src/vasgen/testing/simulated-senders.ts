import { sleep } from '../../kernel/index.ts';
import type { Env } from '../../kernel/testing.ts';
import type { Freshness } from '../document/freshness.ts';
import type { Lane } from '../registry/registry-row.ts';
import { placeOf, type ClientName, type DocumentEvent, type RawDocument } from '../document/raw-document.ts';
import type { Vasgen } from '../open-vasgen.ts';
import { sampleDocument } from './document-samples.ts';

/** What a client has sent and was answered. `plan` draws each document. */
export type Sender = {
  readonly plan: readonly number[];
  done: number;
  /** Each document that was sent, as `triple` names it. */
  readonly sent: Set<string>;
  readonly acknowledged: { readonly pk: string; readonly place: Freshness; readonly lane: Lane }[];
};

export const triple = (
  pk: string,
  { epoch, version, timestampMs }: Pick<Freshness, 'epoch' | 'version' | 'timestampMs'>,
): string => `${pk} ${epoch}/${version}/${timestampMs}`;

const EVENTS: readonly DocumentEvent[] = ['upsert', 'upsert', 'upsert', 'delete', 'erase'];
/** Verdicts after which this document, or a fresher one, is in the registry. */
const ACKNOWLEDGED = new Set(['accepted', 'duplicate', 'stale', 'expired']);
const PKS = ['a', 'b'] as const;

/** The document of a step: few keys and versions, so that senders meet. */
const documentOf = (
  draw: number,
  step: number,
  { epoch, nowMs, spread }: { readonly epoch: number; readonly nowMs: number; readonly spread: number },
): RawDocument => {
  const event = EVENTS[draw % 5]!;
  return sampleDocument({
    pk: PKS[draw % PKS.length]!,
    event,
    epoch,
    version: 1 + ((draw >> 2) % 4),
    composedAtMs: 1_000 + 10 * step + spread,
    // Every third document runs out soon, or has run out already.
    expiresAtMs:
      event === 'upsert' && draw % 3 === 0 ? Math.max(1, nowMs + (draw % 7) * 100 - 200) : undefined,
  });
};

/** Sends the documents of the plan, each to every living epoch, and goes on where a crash has left it. */
export const sendDocuments = async (
  sender: Sender,
  { useCases }: Vasgen,
  { clock }: Env,
  { client, spread }: { readonly client: ClientName; readonly spread: number },
): Promise<void> => {
  while (sender.done < sender.plan.length) {
    const step = sender.done;
    const draw = sender.plan[step]!;
    const known = await useCases.epochs.get(client);
    let isAnswered = known.isOk();
    for (const { epoch } of known.isOk() ? known.value.epochs : []) {
      const document = documentOf(draw, step, { epoch, nowMs: clock.nowMs(), spread });
      sender.sent.add(triple(document.pk, placeOf(document)));
      const lane = draw % 4 === 0 ? 'bulk' : 'main';
      const verdicts = await useCases.receiveDocuments(client, [document], lane);
      const verdict = verdicts.isOk() ? verdicts.value[0]!.kind : 'unavailable';
      if (verdict === 'unavailable') isAnswered = false;
      else if (ACKNOWLEDGED.has(verdict))
        sender.acknowledged.push({ pk: document.pk, place: placeOf(document), lane });
    }
    if (isAnswered) sender.done = Math.max(sender.done, step + 1);
    await sleep(clock, 50);
  }
};
