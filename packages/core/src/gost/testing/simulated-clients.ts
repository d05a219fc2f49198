import { sleep } from '../../kernel/index.ts';
import type { Env } from '../../kernel/testing.ts';
import type { ChangeCommand } from '../offer/command.ts';
import type { DraftId } from '../drafts/draft.ts';
import type { SellerId } from '../offer/offer.ts';
import type { OfferId } from '../offer/offer-id.ts';
import type { TestGost } from './open-test-gost.ts';
import { commandId, sampleContent } from './samples.ts';

export const CLIENT_COMMANDS = [
  ...(['edit', 'hide', 'activate', 'sell', 'ban', 'unban', 'prolong', 'remove', 'photos'] as const),
] as const;
/** In everything that a seller says, or that is said to him. */
export const wordOf = (seller: SellerId): string => `word-of-${seller}`;
const photoOf = (seller: SellerId): string => `https://photos.test/${wordOf(seller)}.jpg`;

/** What a client outside remembers, whatever happens to the process that serves it. */
export type Client = {
  readonly seller: SellerId;
  readonly plan: readonly number[];
  draftId?: DraftId;
  offerId?: OfferId;
  /** He has begun another one. */
  drafted?: boolean;
  done: number;
};

const commandOf = ({ seller, plan }: Client, n: number): ChangeCommand => {
  const kind = CLIENT_COMMANDS[plan[n]!]!;
  const base = { id: commandId(`${wordOf(seller)}/${n}`), by: 'seller' } as const;
  switch (kind) {
    case 'edit':
      return {
        ...base,
        kind,
        content: sampleContent({
          title: `edit ${n} ${wordOf(seller)}`,
          price: n % 2 ? undefined : { minorUnits: n, currency: 'RUB' },
          photos: n % 3 ? [] : [photoOf(seller)],
        }),
      };
    case 'photos':
      return {
        ...base,
        kind,
        photos: [{ url: photoOf(seller), outcome: { kind: 'failed', reason: `r${n}` } }],
      };
    case 'sell':
      return { ...base, kind, onPlatform: n % 3 !== 0 };
    case 'ban':
      return { ...base, kind, editable: n % 2 === 0, reasons: [wordOf(seller)], opinionVersion: n + 1 };
    case 'unban':
      return { ...base, kind, opinionVersion: n + 1 };
    case 'hide':
    case 'activate':
    case 'prolong':
    case 'remove':
      return { ...base, kind };
  }
};
const draftOf = async (client: Client, gost: TestGost): Promise<DraftId | undefined> => {
  const { category, ...content } = sampleContent({ title: wordOf(client.seller) });
  const draft = await gost.currentDraft({ userId: client.seller });
  const { id: draftId } = draft.unwrapOr({ id: undefined });
  const owner = { kind: 'user', id: client.seller } as const;
  const saved = draftId && (await gost.saveDraft({ owner, draftId, category, content }));
  return saved?.isOk() ? saved.value.id : undefined;
};
/** Patient: what has no known outcome is asked again, under the same name. */
const publish = async (client: Client, gost: TestGost, env: Env): Promise<void> => {
  while (client.offerId === undefined) {
    if (client.draftId === undefined) {
      const draftId = await draftOf(client, gost);
      if (draftId !== undefined) client.draftId = draftId;
    } else {
      // Twice at the same time, as an impatient finger does.
      const command = { seller: client.seller, draftId: client.draftId };
      const both = await Promise.all([gost.publishDraft(command), gost.publishDraft(command)]);
      for (const one of both) if (one.isOk()) client.offerId = one.value.offerId;
    }
    await sleep(env.clock, 50);
  }
};
export const live = async (client: Client, gost: TestGost, env: Env): Promise<void> => {
  await publish(client, gost, env);
  while (!client.drafted) {
    client.drafted = (await draftOf(client, gost)) !== undefined;
    await sleep(env.clock, 50);
  }
  while (client.done < client.plan.length) {
    const verdict = await gost.changeOffer({
      offerId: client.offerId!,
      command: commandOf(client, client.done),
    });
    if (verdict.isOk() || verdict.error.kind !== 'Unavailable') client.done++;
    else await sleep(env.clock, 100);
  }
};
