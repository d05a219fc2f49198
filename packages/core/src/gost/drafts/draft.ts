import { err, ok, type Result } from 'neverthrow';
import type { CategoryId } from '../../catalog/index.ts';
import { invalidInput, type Brand, type InvalidInput } from '../../kernel/index.ts';

export type DraftId = Brand<string, 'DraftId'>;
/** The owner of a draft: a logged-in user, or an anonymous visitor with a signed token. */
export type DraftOwner = { readonly kind: 'user' | 'anonymous'; readonly id: string };
/** The number of each kind of owner in stored rows. A stored number never changes. */
export const OWNER_KINDS = { user: 1, anonymous: 2 } as const satisfies Record<DraftOwner['kind'], number>;

/** An offer in the making. `content` is whatever the form has so far: nothing of it is checked before it is published. */
export type Draft<Content> = {
  readonly id: DraftId;
  readonly owner: DraftOwner;
  readonly category: CategoryId | undefined;
  readonly content: Content;
  readonly lastUpdateUs: number;
};

export type CurrentDraftQuestion<Content> = {
  readonly userId?: string;
  readonly anonymousId?: string;
  readonly category?: CategoryId;
  /** The drafts that the two owners have now. */
  readonly user?: Draft<Content>;
  readonly anonymous?: Draft<Content>;
};
/** The one draft the caller has afterwards. Where `put` is absent it is already so; `erased` are the others that must go. */
export type CurrentDraft<Content> = {
  readonly draft: Draft<Content>;
  readonly put: boolean;
  readonly erased: readonly Draft<Content>[];
};
export type DraftMaking<Content> = {
  readonly nowUs: number;
  readonly newId: () => DraftId;
  readonly empty: Content;
};

const sameOwner = (a: DraftOwner, b: DraftOwner): boolean => a.kind === b.kind && a.id === b.id;
/** The newer of the two; on a tie the user's, which stands first. */
const newest = <Content>(drafts: readonly Draft<Content>[]): Draft<Content> | undefined =>
  drafts.reduce<Draft<Content> | undefined>(
    (best, draft) => (best === undefined || draft.lastUpdateUs > best.lastUpdateUs ? draft : best),
    undefined,
  );

/**
 * Table T1. Of the caller's drafts the newest that fits the category stays; if none fits, the user's (else the
 * anonymous one) is reset to it and keeps its id. What stays belongs to the user where there is one; the rest is erased.
 */
export const decideCurrentDraft = <Content>(
  question: CurrentDraftQuestion<Content>,
  { nowUs, newId, empty }: DraftMaking<Content>,
): Result<CurrentDraft<Content>, InvalidInput> => {
  const { userId, anonymousId, category } = question;
  const ownerId = userId ?? anonymousId;
  if (ownerId === undefined)
    return err(
      invalidInput({
        path: 'user_id',
        code: 'Missing',
        message: 'a draft belongs to a user or to an anonymous id',
      }),
    );
  const owner: DraftOwner = { kind: userId === undefined ? 'anonymous' : 'user', id: ownerId };
  const drafts = [
    userId === undefined ? undefined : question.user,
    anonymousId === undefined ? undefined : question.anonymous,
  ].filter((draft) => draft !== undefined);

  const fitting = newest(drafts.filter((draft) => category === undefined || draft.category === category));
  const stays = fitting ?? drafts[0];
  if (!stays)
    return ok({
      draft: { id: newId(), owner, category, content: empty, lastUpdateUs: nowUs },
      put: true,
      erased: [],
    });
  const erased = drafts.filter((draft) => draft !== stays);
  const draft: Draft<Content> = fitting
    ? { ...stays, owner }
    : { ...stays, owner, category, content: empty, lastUpdateUs: nowUs };
  return ok({ draft, put: !fitting || !sameOwner(stays.owner, owner), erased });
};
