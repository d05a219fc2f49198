import { messageBytes, viewToPb } from '@doska/adapters-proto';
import {
  GetOfferResponse,
  OfferServiceDefinition,
  type OfferState,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import {
  BULK_OFFERS_MAX,
  type BulkChange,
  type ChangeCommand,
  type ChangeOffer,
  type CommandId,
  type EditOfferUseCase,
  type EraseSeller,
  type FindOffers,
  type FoundOffer,
  type Offer,
  type GetOfferHistory,
  type OfferId,
  type ScanOffers,
} from '@doska/core/gost';
import type { Access, InvalidInput } from '@doska/core/kernel';
import { err, ok, Result, type ResultAsync } from 'neverthrow';
import type { DomainError } from '../service-definition.ts';
import { preparedFor } from '../server/prepared-message.ts';
import { grpcService, type CallContext, type GrpcService } from '../server/service.ts';
import { actingOf, isTrusted, sellerAsked } from './acting.ts';
import { gostErrors, inWords } from './gost-errors.ts';
import { historyToPb } from './history.mapper.ts';
import {
  actionFromPb,
  commandIdFromPb,
  offerContentFromPb,
  offerIdFromPb,
  offerIdsFromPb,
  foundToPb,
  offerToPb,
  stateToPb,
  verdictToPb,
} from './gost.mapper.ts';

export type OfferServiceNeeds = {
  readonly findOffers: FindOffers;
  readonly changeOffer: ChangeOffer;
  readonly editOffer: EditOfferUseCase;
  readonly changeMany: BulkChange;
  readonly scanOffers: ScanOffers;
  readonly offerHistory: GetOfferHistory;
  readonly eraseSeller: EraseSeller;
  readonly newCommandId: () => string;
};

const BATCH_MAX = 100;
const HISTORY_PAGE = 20;
const owners: Access = { roles: ['seller', 'service', 'operator'] };
const trusted: Access = { roles: ['service', 'operator'] };
type PlainKind = 'activate' | 'hide' | 'prolong' | 'remove';
type PlainRequest = { readonly offerId: string; readonly commandId: string };
type StateAnswer = ResultAsync<{ readonly offer: OfferState }, DomainError>;

export const offerService = (needs: OfferServiceNeeds): GrpcService => {
  const {
    findOffers,
    changeOffer,
    editOffer,
    changeMany,
    scanOffers,
    offerHistory,
    eraseSeller,
    newCommandId,
  } = needs;

  const named = (request: PlainRequest): Result<[OfferId, CommandId], InvalidInput> =>
    Result.combine([offerIdFromPb(request.offerId), commandIdFromPb(request.commandId, newCommandId)]);
  const carryOut = (offerId: OfferId, command: ChangeCommand): StateAnswer =>
    changeOffer({ offerId, command })
      .map((changed) => ({ offer: stateToPb(changed) }))
      .mapErr(inWords);
  const plain =
    (kind: PlainKind) =>
    (request: PlainRequest, { caller }: CallContext): StateAnswer =>
      named(request).asyncAndThen(([offerId, id]) => carryOut(offerId, { kind, id, ...actingOf(caller) }));

  /** A seller sees his own, and not what he has removed. */
  const mayRead = ({ offer }: FoundOffer, { caller }: CallContext): boolean =>
    isTrusted(caller) || (offer.seller === actingOf(caller).seller && offer.lifecycle !== 'removed');
  const isForeign = ({ offer }: FoundOffer, { caller }: CallContext): boolean =>
    !isTrusted(caller) && offer.seller !== actingOf(caller).seller;

  const offerAnswer = preparedFor<Offer, GetOfferResponse>((offer) =>
    messageBytes(GetOfferResponse, { offer: offerToPb(offer) }),
  );

  return grpcService({
    definition: OfferServiceDefinition,
    access: {
      ...{ getOffer: owners, batchGetOffers: owners, editOffer: owners, activateOffer: owners },
      ...{ hideOffer: owners, prolongOffer: owners, sellOffer: owners, removeOffer: owners },
      ...{ changeOffers: owners, banOffer: trusted, unbanOffer: trusted, scanOffers: trusted },
      ...{ getOfferHistory: owners, eraseSeller: { roles: ['operator'] } },
    },
    errors: gostErrors,
    handlers: {
      getOffer: (request, call) =>
        offerIdFromPb(request.offerId).asyncAndThen((offerId) =>
          findOffers([offerId]).andThen(([found]) => {
            if (found && isForeign(found, call)) return err(inWords({ kind: 'NotOwner' as const, offerId }));
            return found && mayRead(found, call)
              ? ok(found.archivedAtUs === undefined ? offerAnswer(found.offer) : { offer: foundToPb(found) })
              : err(inWords({ kind: 'NotFound' as const, offerId }));
          }),
        ),
      batchGetOffers: ({ offerIds }, call) =>
        offerIdsFromPb(offerIds, BATCH_MAX).asyncAndThen((ids) =>
          findOffers([...new Set(ids)]).map((found) => {
            const seen = new Map(found.filter((one) => mayRead(one, call)).map((one) => [one.offer.id, one]));
            return {
              offers: ids.flatMap((id) => seen.get(id) ?? []).map(foundToPb),
              unknownIds: ids.filter((id) => !seen.has(id)),
            };
          }),
        ),
      editOffer: ({ offerId, categoryId, text, expectedVersion, commandId }, { caller }) =>
        Result.combine([named({ offerId, commandId }), offerContentFromPb(categoryId, text)]).asyncAndThen(
          ([[id, command], content]) =>
            editOffer({
              ...{ offerId: id, id: command, content, ...actingOf(caller) },
              ...(expectedVersion === undefined ? {} : { expected: Number(expectedVersion) }),
            })
              .map((changed) => ({ offer: stateToPb(changed) }))
              .mapErr(inWords),
        ),
      activateOffer: plain('activate'),
      hideOffer: plain('hide'),
      prolongOffer: plain('prolong'),
      sellOffer: (request, { caller }) =>
        named(request).asyncAndThen(([offerId, id]) =>
          carryOut(offerId, { kind: 'sell', id, onPlatform: request.onPlatform, ...actingOf(caller) }),
        ),
      removeOffer: (request, call) =>
        plain('remove')(request, call).andThen(({ offer }) =>
          findOffers([offer.offerId as OfferId]).map(([removed]) => ({
            offer,
            returnsWithFeed: removed?.offer.source !== undefined,
          })),
        ),
      changeOffers: ({ offerIds, action, commandId, sellerId }, { caller }) =>
        Result.combine([
          sellerAsked(caller, sellerId),
          offerIdsFromPb(offerIds, BULK_OFFERS_MAX),
          actionFromPb(action),
          commandIdFromPb(commandId, newCommandId),
        ]).asyncAndThen(([seller, ids, wanted, command]) =>
          changeMany({ seller, offerIds: ids, action: wanted, commandId: command }).map((verdicts) => ({
            verdicts: verdicts.map(verdictToPb),
          })),
        ),
      banOffer: ({ offerId, opinionVersion, reasons, editable }) =>
        offerIdFromPb(offerId).asyncAndThen((id) => {
          const opinion = { id: `opinion/${opinionVersion}` as CommandId, by: 'moderation' } as const;
          const command = { ...opinion, kind: 'ban', editable, reasons } as const;
          return carryOut(id, { ...command, opinionVersion: Number(opinionVersion) });
        }),
      unbanOffer: ({ offerId, opinionVersion }) =>
        offerIdFromPb(offerId).asyncAndThen((id) => {
          const opinion = { id: `opinion/${opinionVersion}` as CommandId, by: 'moderation' } as const;
          return carryOut(id, { ...opinion, kind: 'unban', opinionVersion: Number(opinionVersion) });
        }),
      getOfferHistory: ({ offerId, pageSize, pageToken }, { caller }) =>
        offerIdFromPb(offerId).asyncAndThen((id) => {
          const { seller } = actingOf(caller);
          return offerHistory({
            ...{ offerId: id, pageSize: pageSize === 0 ? HISTORY_PAGE : pageSize },
            ...(seller === undefined ? {} : { seller }),
            ...(pageToken === '' ? {} : { pageToken }),
          })
            .map(historyToPb)
            .mapErr((error) =>
              error.kind === 'InvalidPageToken'
                ? { ...error, message: `page_token: ${error.reason}` }
                : inWords(error),
            );
        }),
      eraseSeller: ({ sellerId, cursor }, { caller }) =>
        sellerAsked(caller, sellerId).asyncAndThen((seller) =>
          eraseSeller({ seller, ...(cursor === '' ? {} : { cursor }) })
            .map(({ offers, erased, entries, cursor: next = '' }) => ({
              ...{ offers: BigInt(offers), erased: BigInt(erased), historyEntries: BigInt(entries) },
              cursor: next,
            }))
            .mapErr((error) =>
              error.kind === 'InvalidPageToken'
                ? { ...error, message: `cursor: ${error.reason}` }
                : inWords(error),
            ),
        ),
      scanOffers: async function* ({ parts, part, cursor }, { signal }) {
        const query = { parts: parts === 0 ? 1 : parts, part, ...(cursor === '' ? {} : { cursor }) };
        for await (const piece of scanOffers(query, signal))
          yield piece.map(({ views, cursor: next }) => ({ offers: views.map(viewToPb), cursor: next }));
      },
    },
  });
};
