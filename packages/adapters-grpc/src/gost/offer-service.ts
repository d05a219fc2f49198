import { messageBytes, viewToPb } from '@doska/adapters-proto';
import {
  GetOfferResponse,
  OfferServiceDefinition,
  type OfferState,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import {
  BULK_OFFERS_MAX,
  countFitting,
  offerBytes,
  type ChangeCommand,
  type CommandId,
  type FoundOffer,
  type GostUseCases,
  type Offer,
  type OfferId,
} from '@doska/core/gost';
import type { Access, InvalidInput } from '@doska/core/kernel';
import { err, ok, Result, type ResultAsync } from 'neverthrow';
import {
  type CallContext,
  type DomainError,
  preparedFor,
  rpcService,
  type RpcService,
} from '@doska/adapters-rpc';
import { actingOf, isTrusted, sellerAsked } from './acting.ts';
import { gostErrors, inWords } from './gost-errors.ts';
import { historyToPb } from './history.mapper.ts';
import {
  actionFromPb,
  commandIdFromPb,
  expectedFromPb,
  offerContentFromPb,
  offerIdFromPb,
  offerIdsFromPb,
  foundToPb,
  offerToPb,
  opinionFromPb,
  stateToPb,
  verdictToPb,
} from './gost.mapper.ts';

export type OfferServiceNeeds = Pick<
  GostUseCases,
  | 'findOffers'
  | 'changeOffer'
  | 'editOffer'
  | 'bulkChange'
  | 'scanOffers'
  | 'offerHistory'
  | 'eraseSeller'
  | 'newCommandId'
>;

const BATCH_MAX = 100;
const HISTORY_PAGE = 20;
const owners: Access = { roles: ['seller', 'service', 'operator'] };
const trusted: Access = { roles: ['service', 'operator'] };
const stateVersion = {
  version: ({ offer }: { readonly offer?: OfferState | undefined }) => offer?.version,
};
type PlainKind = 'activate' | 'hide' | 'prolong' | 'remove';
type PlainRequest = { readonly offerId: string; readonly commandId: string };
type StateAnswer = ResultAsync<{ readonly offer: OfferState }, DomainError>;

export const offerService = (needs: OfferServiceNeeds): RpcService => {
  const {
    findOffers,
    changeOffer,
    editOffer,
    bulkChange,
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
      named(request).asyncAndThen(([offerId, id]) =>
        carryOut(offerId, { kind, id, named: request.commandId !== '', ...actingOf(caller) }),
      );

  /** A seller sees his own, and not what he has removed. */
  const mayRead = ({ offer }: FoundOffer, { caller }: CallContext): boolean =>
    isTrusted(caller) || (offer.seller === actingOf(caller).seller && offer.lifecycle !== 'removed');
  const isForeign = ({ offer }: FoundOffer, { caller }: CallContext): boolean =>
    !isTrusted(caller) && offer.seller !== actingOf(caller).seller;

  const offerAnswer = preparedFor<Offer, GetOfferResponse>((offer) =>
    messageBytes(GetOfferResponse, { offer: offerToPb(offer) }),
  );

  return rpcService({
    definition: OfferServiceDefinition,
    access: {
      getOffer: owners,
      batchGetOffers: owners,
      editOffer: owners,
      activateOffer: owners,
      hideOffer: owners,
      prolongOffer: owners,
      sellOffer: owners,
      removeOffer: owners,
      changeOffers: owners,
      banOffer: trusted,
      unbanOffer: trusted,
      scanOffers: trusted,
      getOfferHistory: owners,
      eraseSeller: { roles: ['operator'] },
    },
    errors: gostErrors,
    http: {
      // Commands on an archived offer are refused, so its version is of no use.
      getOffer: {
        version: ({ offer }) => (offer?.archivedAtUs === undefined ? offer?.view?.version : undefined),
      },
      editOffer: stateVersion,
      activateOffer: stateVersion,
      hideOffer: stateVersion,
      prolongOffer: stateVersion,
      sellOffer: stateVersion,
      banOffer: stateVersion,
      unbanOffer: stateVersion,
    },
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
            const known = ids.flatMap((id) => seen.get(id) ?? []);
            const fitting = countFitting(known, ({ offer }) => offerBytes(offer));
            return {
              offers: known.slice(0, fitting).map(foundToPb),
              unknownIds: ids.filter((id) => !seen.has(id)),
              leftOutIds: known.slice(fitting).map(({ offer }) => offer.id),
            };
          }),
        ),
      editOffer: ({ offerId, categoryId, text, expectedVersion, commandId }, { caller }) =>
        Result.combine([
          named({ offerId, commandId }),
          offerContentFromPb(categoryId, text),
          expectedVersion === undefined ? ok(undefined) : expectedFromPb(expectedVersion),
        ]).asyncAndThen(([[id, command], content, expected]) =>
          editOffer({
            offerId: id,
            id: command,
            named: commandId !== '',
            content,
            ...actingOf(caller),
            ...(expected === undefined ? {} : { expected }),
          })
            .map((changed) => ({ offer: stateToPb(changed) }))
            .mapErr(inWords),
        ),
      activateOffer: plain('activate'),
      hideOffer: plain('hide'),
      prolongOffer: plain('prolong'),
      sellOffer: (request, { caller }) =>
        named(request).asyncAndThen(([offerId, id]) =>
          carryOut(offerId, {
            kind: 'sell',
            id,
            named: request.commandId !== '',
            onPlatform: request.onPlatform,
            ...actingOf(caller),
          }),
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
          bulkChange({
            seller,
            offerIds: ids,
            action: wanted,
            commandId: command,
            named: commandId !== '',
          }).map((verdicts) => ({
            verdicts: verdicts.map(verdictToPb),
          })),
        ),
      banOffer: ({ offerId, opinionVersion, reasons, editable }) =>
        Result.combine([offerIdFromPb(offerId), opinionFromPb(opinionVersion, reasons)]).asyncAndThen(
          ([id, opinion]) => carryOut(id, { ...opinion, kind: 'ban', editable, reasons }),
        ),
      unbanOffer: ({ offerId, opinionVersion }) =>
        Result.combine([offerIdFromPb(offerId), opinionFromPb(opinionVersion)]).asyncAndThen(
          ([id, opinion]) => carryOut(id, { ...opinion, kind: 'unban' }),
        ),
      getOfferHistory: ({ offerId, pageSize, pageToken }, { caller }) =>
        offerIdFromPb(offerId).asyncAndThen((id) => {
          const { seller } = actingOf(caller);
          return offerHistory({
            offerId: id,
            pageSize: pageSize === 0 ? HISTORY_PAGE : pageSize,
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
              offers: BigInt(offers),
              erased: BigInt(erased),
              historyEntries: BigInt(entries),
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
