import { sleep } from '../../kernel/index.ts';
import type { Env, MemoryWeb } from '../../kernel/testing.ts';
import type { FeedKey } from '../../gost/index.ts';
import { noDefaults } from '../domain/feed.ts';
import type { composeFeeds } from '../open-feeds.ts';

export type SimulatedFeeds = ReturnType<typeof composeFeeds>;

/** One thing that a seller does to a feed. */
export type SellerAction =
  | { readonly kind: 'upload'; readonly text: string }
  | { readonly kind: 'link'; readonly text: string }
  | { readonly kind: 'page'; readonly text: string }
  | { readonly kind: 'remove'; readonly absent: 'remove' | 'manual' }
  | { readonly kind: 'reject' }
  | { readonly kind: 'catalogue' };

/** A seller with one feed. `done` counts actions that were answered. */
export type SimulatedSeller = {
  readonly key: FeedKey;
  readonly plan: readonly SellerAction[];
  done: number;
};

const IDS = ['a', 'b', 'c', 'd', 'e'] as const;
export const urlOf = ({ seller, namespace }: FeedKey): string =>
  `https://feeds.test/${seller}/${namespace}.txt`;

/** A file of some offers, at times with one that has no id, or broken in the middle. */
const fileOf = (below: (n: number) => number): string => {
  const lines: string[] = IDS.filter(() => below(3) > 0).map((id) => `${id} Title${below(2)}`);
  const fault = below(8);
  if (fault === 6) lines.push('-');
  if (fault === 7) lines.splice(below(lines.length + 1), 0, '!');
  return lines.length > 0 ? lines.join('\n') : 'a Title0';
};
const GOOD_FILES = [
  'a Title0\nb Title1',
  'c Title1',
  'a Title1\nb Title0\nc Title0\nd Title1\ne Title1',
] as const;

export const sellerOf = (key: FeedKey, below: (n: number) => number): SimulatedSeller => {
  const some = Array.from({ length: 1 + below(4) }, (): SellerAction => {
    switch (below(8)) {
      case 0:
      case 1:
      case 2:
        return { kind: 'upload', text: fileOf(below) };
      case 3:
        return { kind: 'link', text: fileOf(below) };
      case 4:
        return { kind: 'page', text: fileOf(below) };
      case 5:
        return { kind: 'remove', absent: below(2) === 0 ? 'remove' : 'manual' };
      case 6:
        return { kind: 'reject' };
      default:
        return { kind: 'catalogue' };
    }
  });
  // The last word is a file that can be read, or a removal: then it is known what must come of it.
  const last: SellerAction =
    below(4) === 3
      ? { kind: 'remove', absent: 'remove' }
      : { kind: 'upload', text: GOOD_FILES[below(GOOD_FILES.length)]! };
  return { key, plan: [...some, last], done: 0 };
};

async function* once(text: string): AsyncIterable<Uint8Array> {
  yield new TextEncoder().encode(text);
}
const PAUSE_MS = 5_000;

/** Does what is planned. What fails in passing is tried again under the same request id. */
export const actOn = async (
  seller: SimulatedSeller,
  feeds: SimulatedFeeds,
  {
    env,
    web,
    changeCatalog,
  }: { readonly env: Env; readonly web: MemoryWeb; readonly changeCatalog: () => void },
): Promise<void> => {
  const { key, plan } = seller;
  const act = async (action: SellerAction, n: number): Promise<boolean> => {
    switch (action.kind) {
      case 'upload': {
        const options = { replace: true, requestId: `request-${n}` };
        return (await feeds.receive.upload(key, once(action.text), options)).isOk();
      }
      case 'link': {
        web.pages.set(urlOf(key), { body: new TextEncoder().encode(action.text), headers: { etag: `${n}` } });
        const settings = {
          url: urlOf(key),
          intervalMs: 3_600_000,
          format: 'auto',
          absent: 'remove',
          defaults: noDefaults,
        } as const;
        return (await feeds.manage.setFeed(key, settings)).isOk();
      }
      case 'page':
        web.pages.set(urlOf(key), { body: new TextEncoder().encode(action.text), headers: { etag: `${n}` } });
        return (await feeds.manage.fetchNow(key)).match(
          () => true,
          ({ kind }) => kind !== 'Unavailable',
        );
      case 'remove':
        return (await feeds.manage.removeFeed(key, action.absent)).match(
          () => true,
          ({ kind }) => kind !== 'Unavailable',
        );
      case 'reject':
        return (await settleNewest(seller, feeds, 'reject')) !== 'unavailable';
      case 'catalogue':
        changeCatalog();
        return true;
    }
  };
  while (seller.done < plan.length) {
    const n = seller.done;
    if (await act(plan[n]!, n)) seller.done = Math.max(seller.done, n + 1);
    await sleep(env.clock, PAUSE_MS);
  }
  for (;;) {
    await settleNewest(seller, feeds, 'approve');
    await sleep(env.clock, 60_000);
  }
};

/** Sellers decide about the newest load only: an older one that is held must give way by itself. */
const settleNewest = async (
  { key }: SimulatedSeller,
  { manage }: SimulatedFeeds,
  verdict: 'approve' | 'reject',
): Promise<'settled' | 'unavailable'> => {
  const view = await manage.getFeed(key);
  if (view.isErr()) return view.error.kind === 'Unavailable' ? 'unavailable' : 'settled';
  const newest = view.value.newest?.task;
  if (newest?.place !== 'held') return 'settled';
  const settled = await manage.settleHeld(key, newest.id, verdict);
  return settled.isErr() && settled.error.kind === 'Unavailable' ? 'unavailable' : 'settled';
};
