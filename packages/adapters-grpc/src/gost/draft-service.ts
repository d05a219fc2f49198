import { DraftServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import type { CategoryId } from '@doska/core/catalog';
import type { DraftId, GostUseCases } from '@doska/core/gost';
import { invalidInput, type Access, type Authenticator, type Unavailable } from '@doska/core/kernel';
import { err, errAsync, ok, type ResultAsync } from 'neverthrow';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { sellerAsked } from './acting.ts';
import { ownerOf, ownersAsked } from './draft-owner.ts';
import { gostErrors, inWords } from './gost-errors.ts';
import { draftToPb, offerTextFromPb, stateToPb } from './gost.mapper.ts';

export type AnonymousSession = {
  readonly anonymousId: string;
  readonly token: string;
  readonly expiresAtUs: number;
};
export type DraftServiceNeeds = Pick<GostUseCases, 'currentDraft' | 'saveDraft' | 'publishDraft'> & {
  readonly newSession: () => ResultAsync<AnonymousSession, Unavailable>;
  readonly authenticator: Authenticator;
  /** Anonymous sessions per minute per IP. */
  readonly sessionsPerMinute: number;
};

const owners: Access = { roles: ['seller', 'anonymous', 'service', 'operator'] };

export const draftService = ({
  newSession,
  currentDraft,
  saveDraft,
  publishDraft,
  authenticator,
  sessionsPerMinute,
}: DraftServiceNeeds): RpcService =>
  rpcService({
    definition: DraftServiceDefinition,
    access: {
      createAnonymousSession: { public: { ratePerMinute: sessionsPerMinute } },
      getCurrentDraft: owners,
      saveDraft: owners,
      publishDraft: { roles: ['seller', 'service', 'operator'] },
    },
    errors: gostErrors,
    http: { publishDraft: { version: ({ offer }) => offer?.version } },
    handlers: {
      createAnonymousSession: () =>
        newSession().map(({ expiresAtUs, ...same }) => ({ ...same, expiresAtUs: BigInt(expiresAtUs) })),
      getCurrentDraft: ({ owner, categoryId }, { caller }) =>
        ownersAsked(caller, owner, authenticator)
          .andThen((asked) =>
            currentDraft({
              ...asked,
              ...(categoryId === undefined ? {} : { category: categoryId as CategoryId }),
            }),
          )
          .map((draft) => ({ draft: draftToPb(draft) })),
      saveDraft: ({ owner, draftId, categoryId, text }, { caller }) =>
        ownersAsked(caller, owner, authenticator)
          .andThen((asked) => {
            const found = ownerOf(asked);
            const message = 'a draft belongs to a user or to a visitor';
            return found ? ok(found) : err(invalidInput({ path: 'owner', code: 'Missing', message }));
          })
          .andThen((found) => {
            const content = offerTextFromPb(text);
            if (content.isErr()) return errAsync(content.error);
            const category = categoryId as CategoryId | undefined;
            return saveDraft({
              owner: found,
              draftId: draftId as DraftId,
              category,
              content: content.value,
            }).mapErr(inWords);
          })
          .map((draft) => ({ draft: draftToPb(draft) })),
      publishDraft: async ({ draftId, sellerId }, { caller }) => {
        const seller = sellerAsked(caller, sellerId);
        if (seller.isErr()) return err(seller.error);
        return publishDraft({ seller: seller.value, draftId: draftId as DraftId })
          .map((offer) => ({ offer: stateToPb(offer) }))
          .mapErr(inWords);
      },
    },
  });
