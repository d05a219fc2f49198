import { StageServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/stage_service';
import { parseStageName, type GostUseCases } from '@doska/core/gost';
import type { Access, ValueTooLarge, VersionConflict } from '@doska/core/kernel';
import { Result } from 'neverthrow';
import { rpcService, type RpcService } from '@doska/adapters-rpc';
import { gostErrors, inWords } from './gost-errors.ts';
import { expectedFromPb, offerIdFromPb } from './gost.mapper.ts';

export type StageServiceNeeds = Pick<GostUseCases, 'stages'>;

const services: Access = { roles: ['service'] };
const place = ({ offerId, stage }: { readonly offerId: string; readonly stage: string }) =>
  Result.combine([offerIdFromPb(offerId), parseStageName(stage)]).map(([id, name]) => ({
    offerId: id,
    stage: name,
  }));
const wordsOf = (error: VersionConflict | ValueTooLarge): string =>
  error.kind === 'VersionConflict'
    ? `expected_version: ${error.expected} was expected, but the state is at ${error.actual}`
    : `state: ${error.bytes} bytes, at most ${error.bytesMax}`;

export const stageService = ({ stages }: StageServiceNeeds): RpcService =>
  rpcService({
    definition: StageServiceDefinition,
    access: { getStage: services, putStage: services },
    errors: { ...gostErrors, VersionConflict: 'ABORTED', ValueTooLarge: 'INVALID_ARGUMENT' },
    http: {
      getStage: { version: ({ version }) => version },
      putStage: { version: ({ version }) => version },
    },
    handlers: {
      getStage: (request) =>
        place(request).asyncAndThen((at) =>
          stages
            .get(at)
            .map(({ version, state }) => ({ version: BigInt(version), state }))
            .mapErr(inWords),
        ),
      putStage: (request) =>
        Result.combine([place(request), expectedFromPb(request.expectedVersion)]).asyncAndThen(
          ([at, expected]) =>
            stages
              .put({ ...at, state: request.state, expected })
              .map((version) => ({ version: BigInt(version) }))
              .mapErr((error) =>
                error.kind === 'VersionConflict' || error.kind === 'ValueTooLarge'
                  ? { ...error, message: wordsOf(error) }
                  : inWords(error),
              ),
        ),
    },
  });
