import { OperationsServiceDefinition } from '@doska/adapters-proto/generated/doska/operations/v1/operations';
import { ok } from 'neverthrow';
import { grpcService, type GrpcService } from '../server/service.ts';
import { statusToPb } from './operations.mapper.ts';
import type { StatusSource } from './platform-status.ts';

/** The platform's status for operators and our own services. */
export const operationsService = (source: StatusSource): GrpcService =>
  grpcService({
    definition: OperationsServiceDefinition,
    handlers: { getStatus: async () => ok(statusToPb(await source.status())) },
    access: { getStatus: { roles: ['operator', 'service'] } },
  });
