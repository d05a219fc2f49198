import {
  OfferServiceDefinition,
  type OfferState,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { StageServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/stage_service';
import { CatalogServiceDefinition } from '@doska/adapters-proto/generated/doska/catalog/v1/catalog';
import { OfferStatus } from '@doska/adapters-proto/generated/doska/gost/v1/offer';
import { descriptorSet } from '@doska/adapters-proto/descriptors';
import {
  rpcService,
  type RpcService,
  type ServiceDefinition,
  type ServiceRegistration,
} from '@doska/adapters-rpc';
import type { Access } from '@doska/core/kernel';
import { err, ok } from 'neverthrow';
import type { HttpServerOptions } from '../http-server.ts';

type Registration<S extends ServiceDefinition> = ServiceRegistration<S>;
type Changes<S extends ServiceDefinition> = Omit<
  Partial<Registration<S>>,
  'handlers' | 'access' | 'definition'
> & {
  readonly handlers?: Partial<Registration<S>['handlers']>;
  readonly access?: Partial<Registration<S>['access']>;
};

const operators: Access = { roles: ['operator'] };

/** A service of ours with handlers of the test. Methods without one are not found. */
const stubbed = <S extends ServiceDefinition>(definition: S, changes: Changes<S>): RpcService => {
  const keys = Object.keys(definition.methods);
  const each = <T>(value: T): Record<string, T> => Object.fromEntries(keys.map((key) => [key, value]));
  return rpcService({
    ...changes,
    definition,
    handlers: { ...each(async () => err({ kind: 'NotFound' })), ...changes.handlers },
    access: { ...each(operators), ...changes.access },
    errors: { NotFound: 'NOT_FOUND', ...changes.errors },
  } as unknown as Registration<S>);
};
export const offers = (changes: Changes<typeof OfferServiceDefinition> = {}): RpcService =>
  stubbed(OfferServiceDefinition, changes);
export const stages = (changes: Changes<typeof StageServiceDefinition> = {}): RpcService =>
  stubbed(StageServiceDefinition, changes);
export const catalog = (changes: Changes<typeof CatalogServiceDefinition> = {}): RpcService =>
  stubbed(CatalogServiceDefinition, changes);

export const asJson = (...services: readonly RpcService[]): Pick<HttpServerOptions, 'json'> => ({
  json: { services, descriptorSet },
});

export const state = (changes: Partial<OfferState> = {}): OfferState => ({
  offerId: 'A',
  version: 7n,
  updatedAtUs: 1n,
  status: OfferStatus.OFFER_STATUS_HIDDEN,
  changed: true,
  ...changes,
});
export const answered = async (changes: Partial<OfferState> = {}) => ok({ offer: state(changes) });
