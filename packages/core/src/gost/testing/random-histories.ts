import { sleep, type Clock, type Random } from '../../kernel/index.ts';
import type { ChangeCommand } from '../offer/command.ts';
import type { SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { TestGost } from './open-test-gost.ts';
import { commandId, sampleContent } from './samples.ts';

const KINDS = ['edit', 'hide', 'activate', 'sell', 'ban', 'unban', 'prolong', 'remove'] as const;
export type HistoriesOptions = {
  readonly gost: TestGost;
  readonly seller: SellerId;
  readonly offers: number;
  readonly commands: number;
  readonly random: Random;
  readonly clock: Clock;
};

const commandOf = (name: string, n: number, random: Random): ChangeCommand => {
  const kind = KINDS[random.below(KINDS.length)]!;
  const base = { id: commandId(name), by: 'seller' } as const;
  if (kind === 'edit') {
    const price =
      random.below(3) === 0 ? undefined : { minorUnits: n, currency: random.below(2) ? 'RUB' : 'EUR' };
    return { ...base, kind, content: sampleContent({ title: `edit ${n}`, price }) };
  }
  if (kind === 'sell') return { ...base, kind, onPlatform: random.below(3) > 0 };
  if (kind === 'ban')
    return { ...base, kind, editable: random.below(2) === 0, reasons: ['r'], opinionVersion: n + 1 };
  if (kind === 'unban') return { ...base, kind, opinionVersion: n + 1 };
  return { ...base, kind };
};

/** A draft filled and published by two impatient fingers at once: one offer comes of it. */
const publish = async ({ gost, seller }: HistoriesOptions): Promise<OfferId> => {
  const { category, ...content } = sampleContent();
  const draft = (await gost.currentDraft({ userId: seller, category }))._unsafeUnwrap();
  const owner = { kind: 'user', id: seller } as const;
  (await gost.saveDraft({ owner, draftId: draft.id, category, content }))._unsafeUnwrap();
  const command = { seller, draftId: draft.id };
  const [one, two] = await Promise.all([gost.publishDraft(command), gost.publishDraft(command)]);
  const ids = [one, two].map((answer) => answer._unsafeUnwrap().offerId);
  if (ids[0] !== ids[1]) throw new Error(`two offers of one draft: ${ids.join(' ')}`);
  return ids[0]!;
};

/**
 * A seller's life: drafts and publishes one after the other, then commands to random offers from several hands at once,
 * every fifth delivered again, every seventh to many offers. Refusals are part of life; only `Unavailable` is not.
 */
export const liveRandomly = async (options: HistoriesOptions): Promise<void> => {
  const { gost, seller, offers, commands, random, clock } = options;
  const ids: OfferId[] = [];
  for (let n = 0; n < offers; n++) ids.push(await publish(options));
  const any = (): OfferId => ids[random.below(ids.length)]!;
  const hand = async (h: number): Promise<void> => {
    for (let n = h; n < commands; n += 4) {
      const command = commandOf(`${seller}/${n}`, n, random);
      const many = n % 7 === 0 ? ids.slice(0, 3) : [any()];
      const orders = many.map((offerId) => ({ offerId, command }));
      const verdicts = [...(await gost.changeOffers(orders))];
      if (n % 5 === 0) verdicts.push(...(await gost.changeOffers(orders)));
      for (const verdict of verdicts)
        if (verdict.isErr() && verdict.error.kind === 'Unavailable') throw new Error(verdict.error.what);
      await sleep(clock, random.below(4));
    }
  };
  await Promise.all([0, 1, 2, 3].map(hand));
};
