import { CabinetServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import type { GostUseCases } from '@doska/core/gost';
import type { Access } from '@doska/core/kernel';
import { Result, ResultAsync } from 'neverthrow';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { sellerAsked } from './acting.ts';
import { gostErrors } from './gost-errors.ts';
import { driftToPb, offerToPb, presetFromPb, summaryToPb } from './gost.mapper.ts';

export type CabinetServiceNeeds = Pick<
  GostUseCases,
  'listCabinet' | 'cabinetCounts' | 'sellerTotals' | 'repairSeller'
>;

const PAGE_DEFAULT = 20;
const owners: Access = { roles: ['seller', 'service', 'operator'] };

export const cabinetService = ({
  listCabinet,
  cabinetCounts,
  sellerTotals,
  repairSeller,
}: CabinetServiceNeeds): RpcService =>
  rpcService({
    definition: CabinetServiceDefinition,
    access: { listOffers: owners, getSummary: owners, repairCounts: { roles: ['operator'] } },
    errors: gostErrors,
    handlers: {
      listOffers: ({ sellerId, preset, pageSize, pageToken }, { caller }) =>
        Result.combine([sellerAsked(caller, sellerId), presetFromPb(preset)]).asyncAndThen(
          ([seller, wanted]) =>
            listCabinet({
              seller,
              preset: wanted,
              pageSize: pageSize === 0 ? PAGE_DEFAULT : pageSize,
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
          ResultAsync.combine([cabinetCounts(seller), sellerTotals(seller)]).map(([counts, totals]) =>
            summaryToPb(counts, totals),
          ),
        ),
      repairCounts: ({ sellerId }, { caller }) =>
        sellerAsked(caller, sellerId).asyncAndThen((seller) => repairSeller(seller).map(driftToPb)),
    },
  });
