import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import type { CategoryId } from '../../catalog/index.ts';
import { decideCurrentDraft, type CurrentDraftQuestion, type Draft, type DraftId } from './draft.ts';

type Content = { readonly title?: string };
type D = Draft<Content>;
const cars = 'cars' as CategoryId,
  dogs = 'dogs' as CategoryId,
  boats = 'boats' as CategoryId;
const user = { kind: 'user', id: 'u' } as const,
  visitor = { kind: 'anonymous', id: 'a' } as const;
const U = (category: CategoryId | undefined, lastUpdateUs = 5): D => ({
  id: 'U' as DraftId,
  owner: user,
  category,
  content: { title: 'of the user' },
  lastUpdateUs,
});
const A = (category: CategoryId | undefined, lastUpdateUs = 5): D => ({
  id: 'A' as DraftId,
  owner: visitor,
  category,
  content: { title: 'of the visitor' },
  lastUpdateUs,
});
const making = { nowUs: 100, newId: () => 'new' as DraftId, empty: {} };
const decide = (question: CurrentDraftQuestion<Content>) =>
  decideCurrentDraft(question, making)._unsafeUnwrap();
const ids = { userId: 'u', anonymousId: 'a' };
const reset = (draft: D, category: CategoryId, owner = draft.owner): D => ({
  ...draft,
  owner,
  category,
  content: {},
  lastUpdateUs: 100,
});
const moved = (draft: D): D => ({ ...draft, owner: user });

describe('T1', () => {
  test('[G2] [T1] no ids at all is an invalid argument', () => {
    expect(decideCurrentDraft({ category: cars }, making)._unsafeUnwrapErr()).toMatchObject({
      kind: 'InvalidInput',
      violations: [{ path: 'user_id' }],
    });
  });
  test.each<[string, CurrentDraftQuestion<Content>, D, boolean, D[]]>([
    [
      'none, no category',
      ids,
      { id: 'new' as DraftId, owner: user, category: undefined, content: {}, lastUpdateUs: 100 },
      true,
      [],
    ],
    [
      'none, category',
      { anonymousId: 'a', category: cars },
      { id: 'new' as DraftId, owner: visitor, category: cars, content: {}, lastUpdateUs: 100 },
      true,
      [],
    ],

    ['A, no user, no category', { anonymousId: 'a', anonymous: A(cars) }, A(cars), false, []],
    [
      'A, no user, its category',
      { anonymousId: 'a', anonymous: A(cars), category: cars },
      A(cars),
      false,
      [],
    ],
    [
      'A, no user, another category',
      { anonymousId: 'a', anonymous: A(cars), category: dogs },
      reset(A(cars), dogs),
      true,
      [],
    ],
    [
      'A without category, no user, a category',
      { anonymousId: 'a', anonymous: A(undefined), category: dogs },
      reset(A(undefined), dogs),
      true,
      [],
    ],

    ['A, user, no category', { ...ids, anonymous: A(cars) }, moved(A(cars)), true, []],
    ['A, user, its category', { ...ids, anonymous: A(cars), category: cars }, moved(A(cars)), true, []],
    [
      'A, user, another category',
      { ...ids, anonymous: A(cars), category: dogs },
      reset(A(cars), dogs, user),
      true,
      [],
    ],

    ['U, no category', { ...ids, user: U(cars) }, U(cars), false, []],
    ['U, its category', { userId: 'u', user: U(cars), category: cars }, U(cars), false, []],
    ['U, another category', { ...ids, user: U(cars), category: dogs }, reset(U(cars), dogs), true, []],

    [
      'U and A, no category, U newer',
      { ...ids, user: U(cars, 9), anonymous: A(dogs, 5) },
      U(cars, 9),
      false,
      [A(dogs, 5)],
    ],
    [
      'U and A, no category, A newer',
      { ...ids, user: U(cars, 5), anonymous: A(dogs, 9) },
      moved(A(dogs, 9)),
      true,
      [U(cars, 5)],
    ],
    ['U and A, no category, tie', { ...ids, user: U(cars), anonymous: A(dogs) }, U(cars), false, [A(dogs)]],
    [
      "U and A, only U's category",
      { ...ids, user: U(cars, 5), anonymous: A(dogs, 9), category: cars },
      U(cars, 5),
      false,
      [A(dogs, 9)],
    ],
    [
      "U and A, only A's category",
      { ...ids, user: U(cars, 9), anonymous: A(dogs, 5), category: dogs },
      moved(A(dogs, 5)),
      true,
      [U(cars, 9)],
    ],
    [
      "U and A, both's category, A newer",
      { ...ids, user: U(cars, 5), anonymous: A(cars, 9), category: cars },
      moved(A(cars, 9)),
      true,
      [U(cars, 5)],
    ],
    [
      "U and A, both's category, tie",
      { ...ids, user: U(cars), anonymous: A(cars), category: cars },
      U(cars),
      false,
      [A(cars)],
    ],
    [
      "U and A, neither's category",
      { ...ids, user: U(cars, 5), anonymous: A(dogs, 9), category: boats },
      reset(U(cars, 5), boats),
      true,
      [A(dogs, 9)],
    ],
    [
      'U and A, neither has one',
      { ...ids, user: U(undefined), anonymous: A(undefined), category: boats },
      reset(U(undefined), boats),
      true,
      [A(undefined)],
    ],
  ])('[G2] [T1] %s', (_cell, question, draft, put, erased) => {
    expect(decide(question)).toEqual({ draft, put, erased });
  });
});

describe('laws of drafts', () => {
  const anyCategory = fc.constantFrom<CategoryId | undefined>(undefined, cars, dogs);
  const maybe = (make: typeof U) =>
    fc.option(
      fc.tuple(anyCategory, fc.integer({ min: 1, max: 3 })).map(([category, at]) => make(category, at)),
      { nil: undefined },
    );
  const anyQuestion = fc
    .record({ user: maybe(U), anonymous: maybe(A), category: anyCategory, withUser: fc.boolean() })
    .map(({ user: u, anonymous: a, category, withUser }): CurrentDraftQuestion<Content> => ({
      anonymousId: 'a',
      ...(withUser ? { userId: 'u' } : {}),
      ...(withUser && u ? { user: u } : {}),
      ...(a ? { anonymous: a } : {}),
      ...(category ? { category } : {}),
    }));
  test('[G2] the call is idempotent, leaves exactly one draft, and it fits what was asked', () => {
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const { draft, erased } = decide(question);
        expect(erased).not.toContain(draft);
        if (question.category) expect(draft.category).toBe(question.category);
        expect(draft.owner).toEqual(question.userId ? user : visitor);
        const { user: _u, anonymous: _a, ...asked } = question;
        const again = decide({
          ...asked,
          ...(draft.owner.kind === 'user' ? { user: draft } : { anonymous: draft }),
        });
        expect(again).toEqual({ draft, put: false, erased: [] });
      }),
      { numRuns: 1_000 },
    );
  });
  test('[G2] a move keeps id, content and time; a reset keeps the id and empties the rest', () => {
    fc.assert(
      fc.property(anyQuestion, (question) => {
        const { draft } = decide(question);
        const from = [question.user, question.anonymous].find((one) => one?.id === draft.id);
        if (!from) {
          expect(draft).toMatchObject({ content: {}, lastUpdateUs: 100 });
          return;
        }
        const wasReset = draft.lastUpdateUs === 100;
        const empty = { content: {}, category: question.category, lastUpdateUs: 100 };
        expect(draft).toEqual({ ...from, owner: draft.owner, ...(wasReset ? empty : {}) });
      }),
      { numRuns: 1_000 },
    );
  });
});

test('[X14] [T1] a visitor whose id is also the id of the user is another owner', () => {
  const draft = { ...A(cars), owner: { kind: 'anonymous', id: 'same' } as const };
  const decided = decide({ userId: 'same', anonymousId: 'same', anonymous: draft });
  expect(decided).toMatchObject({ put: true, draft: { owner: { kind: 'user', id: 'same' } } });
});
