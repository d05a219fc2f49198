import { CabinetServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { repairSeller, type Cabinet, type ListCabinet } from '@doska/core/gost';
import type { Access } from '@doska/core/kernel';
import { Result, ResultAsync } from 'neverthrow';
import { grpcService, type GrpcService } from '../server/service.ts';
import { sellerAsked } from './acting.ts';
import { gostErrors } from './gost-errors.ts';
import { driftToPb, offerToPb, presetFromPb, summaryToPb } from './gost.mapper.ts';

export type CabinetServiceNeeds = { readonly listCabinet: ListCabinet; readonly cabinet: Cabinet };

const PAGE_DEFAULT = 20;
const owners: Access = { roles: ['seller', 'service', 'operator'] };

export const cabinetService = ({ listCabinet, cabinet }: CabinetServiceNeeds): GrpcService =>
  grpcService({
    definition: CabinetServiceDefinition,
    access: { listOffers: owners, getSummary: owners, repairCounts: { roles: ['operator'] } },
    errors: gostErrors,
    handlers: {
      listOffers: ({ sellerId, preset, pageSize, pageToken }, { caller }) =>
        Result.combine([sellerAsked(caller, sellerId), presetFromPb(preset)]).asyncAndThen(
          ([seller, wanted]) =>
            listCabinet({
              ...{ seller, preset: wanted, pageSize: pageSize === 0 ? PAGE_DEFAULT : pageSize },
              ...(pageToken === '' ? {} : { pageToken }),
            })
              .map(({ offers, nextPageToken = '' }) => ({ offers: offers.map(offerToPb), nextPageToken }))
              .mapErr((error) =>
                error.kind === 'InvalidPageToken'
                  ? { ...error, message: `page_token: ${error.reason}` }
                  : error,
              ),
        ),
      getSummary: ({ sellerId }, { caller }) =>
        sellerAsked(caller, sellerId).asyncAndThen((seller) =>
          ResultAsync.combine([cabinet.counts(seller), cabinet.totals(seller)]).map(([counts, totals]) =>
            summaryToPb(counts, totals),
          ),
        ),
      repairCounts: ({ sellerId }, { caller }) =>
        sellerAsked(caller, sellerId).asyncAndThen((seller) => repairSeller(cabinet, seller).map(driftToPb)),
    },
  });
