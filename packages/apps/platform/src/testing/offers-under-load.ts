import { setTimeout as pause } from 'node:timers/promises';
import { searcherClient, type GrpcChannel } from '@doska/adapters-grpc';
import { eventually } from '@doska/core/kernel/testing';
import type { ClientName } from '@doska/core/vasgen';
import { expect } from 'vitest';

const CLIENT = 'offers' as ClientName;
const WITHIN = { withinMs: 90_000, everyMs: 100 };
const CALL_MS = 5_000;
/** Hits of one page, and so the most offers that a load may have. */
const HITS_MAX = 1_000;

/** The API of the offer store. The process behind it may be killed and come back. */
export type StoreAccess = {
  readonly url: () => string;
  /** A token that may act for sellers and for moderation. */
  readonly token: () => string;
};
export type LoadPlan = {
  readonly offers: number;
  /** Changes of all offers together. */
  readonly perSecond: number;
};
export type StoredOffer = { readonly status: string; readonly updatedAtUs: number };
/** Offers that are published, edited, hidden, banned and removed again and again. */
export type OffersUnderLoad = {
  /** Waits until every offer exists. */
  readonly published: () => Promise<void>;
  /** Waits until the store has acknowledged two more changes of every offer. */
  readonly goesOn: () => Promise<void>;
  /** Ends the load. */
  readonly end: () => Promise<void>;
  /** Expects every acknowledged change in the store, and returns what the store has. */
  readonly stored: () => Promise<ReadonlyMap<string, StoredOffer>>;
};

type State = { readonly offerId: string; readonly updatedAtUs: string };
type Slot = { id: string; changes: number };

/** What the store has. Removed offers are not in it. */
export const storedOffers = async (store: StoreAccess): Promise<ReadonlyMap<string, StoredOffer>> => {
  const answer = await fetch(`${store.url()}/v1/offers:scan`, {
    headers: { authorization: `Bearer ${store.token()}` },
  });
  expect(answer.status).toBe(200);
  const lines = (await answer.text()).split('\n').filter((line) => line !== '');
  type Told = { readonly id: string; readonly status: string; readonly updatedAtUs: string };
  return new Map(
    lines
      .flatMap((line) => (JSON.parse(line) as { readonly offers: readonly Told[] }).offers)
      .map(({ id, status, updatedAtUs }) => [id, { status, updatedAtUs: Number(updatedAtUs) }] as const),
  );
};

export const offersUnderLoad = (store: StoreAccess, plan: LoadPlan): OffersUnderLoad => {
  if (plan.offers > HITS_MAX) throw new Error(`a load has at most ${HITS_MAX} offers`);
  /** Undefined: the answer is not known, or the store refused. */
  const call = async <T>(method: string, path: string, body?: unknown): Promise<T | undefined> => {
    try {
      const answer = await fetch(`${store.url()}${path}`, {
        method,
        headers: { authorization: `Bearer ${store.token()}`, 'content-type': 'application/json' },
        signal: AbortSignal.timeout(CALL_MS),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
      const text = await answer.text();
      return answer.ok ? (JSON.parse(text) as T) : undefined;
    } catch {
      return undefined;
    }
  };
  const acknowledged = new Map<string, number>();
  /** Offers whose removal was asked for, and whether the store has acknowledged it. */
  const removals = new Map<string, boolean>();
  let isOver = false;
  const acknowledge = (answer: { readonly offer: State } | undefined): boolean => {
    if (!answer) return false;
    acknowledged.set(answer.offer.offerId, Number(answer.offer.updatedAtUs));
    return true;
  };
  const textOf = (title: string) => ({
    title,
    description: 'Used with care, everything works.',
    price: { minorUnits: '150000', currency: 'RUB' },
    place: { address: 'Казань' },
    contacts: { phone: '+7 900 000-00-00' },
  });
  const publish = async (seller: string, title: string): Promise<string> => {
    const owner = { userId: seller };
    const categoryId = 'rodents';
    for (;;) {
      const current = await call<{ draft: { id: string } }>('POST', '/v1/drafts:current', {
        owner,
        categoryId,
      });
      const path = `/v1/drafts/${current?.draft.id}`;
      const saved = current && (await call<object>('PUT', path, { owner, categoryId, text: textOf(title) }));
      const answer = saved && (await call<{ offer: State }>('POST', `${path}:publish`, { sellerId: seller }));
      if (acknowledge(answer)) return answer!.offer.offerId;
      await pause(200);
    }
  };
  /** What happens to an offer one after another. A step that the store refuses is no change. */
  const change = (id: string, step: number) => {
    const post = (verb: string, body: object = {}) =>
      call<{ offer: State }>('POST', `/v1/offers/${id}:${verb}`, body);
    const kinds = ['edit', 'edit', 'hide', 'activate', 'edit', 'ban', 'unban'] as const;
    const kind = kinds[step % kinds.length]!;
    const opinionVersion = String(step + 1);
    if (kind === 'edit')
      return call<{ offer: State }>('PUT', `/v1/offers/${id}`, {
        categoryId: 'rodents',
        text: textOf(`Degu ${step}`),
      });
    if (kind === 'ban') return post('ban', { reasons: ['test'], editable: false, opinionVersion });
    return post(kind, kind === 'unban' ? { opinionVersion } : {});
  };
  const isReplaced = (n: number, step: number): boolean => n % 5 === 4 && step > 0 && step % 11 === 0;
  const slots: Slot[] = [];
  const work = async (n: number): Promise<void> => {
    const seller = `seller-${n}`;
    const slot: Slot = { id: await publish(seller, `Degu of ${seller}`), changes: 0 };
    slots.push(slot);
    for (let step = 0; !isOver; step++) {
      await pause((Math.random() + 0.5) * (plan.offers / plan.perSecond) * 1_000);
      if (isReplaced(n, step)) {
        removals.set(slot.id, false);
        if (await call('DELETE', `/v1/offers/${slot.id}`)) removals.set(slot.id, true);
        slot.id = await publish(seller, `Degu of ${seller} again`);
      } else if (acknowledge(await change(slot.id, step))) slot.changes++;
    }
  };
  const load = Promise.all(Array.from({ length: plan.offers }, (_, n) => work(n)));
  return {
    published: () => eventually(() => expect(slots).toHaveLength(plan.offers), WITHIN),
    goesOn: async () => {
      const before = new Map(slots.map((slot) => [slot, slot.changes] as const));
      await eventually(
        () => expect(slots.filter((slot) => slot.changes >= before.get(slot)! + 2)).toHaveLength(plan.offers),
        WITHIN,
      );
    },
    end: async () => {
      isOver = true;
      await load;
    },
    stored: async () => {
      const all = await storedOffers(store);
      for (const [id, updatedAtUs] of acknowledged)
        if (removals.get(id)) expect(all.has(id), id).toBe(false);
        else if (!removals.has(id)) expect(all.get(id)?.updatedAtUs, id).toBeGreaterThanOrEqual(updatedAtUs);
      return all;
    },
  };
};

const sortedPairs = (pairs: Iterable<readonly [string, number]>) =>
  [...pairs].toSorted(([one], [other]) => (one < other ? -1 : 1));

/** Expects the newest version of every active offer in the index of this searcher, and no other document. */
export const expectIndexed = (
  searcher: () => GrpcChannel,
  stored: ReadonlyMap<string, StoredOffer>,
): Promise<void> =>
  eventually(async () => {
    const answer = await searcherClient(searcher()).execute(CLIENT, { plan: '', page: { limit: HITS_MAX } });
    const active = [...stored].filter(([, { status }]) => status === 'OFFER_STATUS_ACTIVE');
    expect(
      sortedPairs(answer._unsafeUnwrap().hits.map(({ pk, freshness }) => [pk, freshness.version] as const)),
    ).toEqual(sortedPairs(active.map(([id, { updatedAtUs }]) => [id, updatedAtUs] as const)));
  }, WITHIN);
