import type { Result } from 'neverthrow';
import type { Catalog, CatalogNotLoaded } from '../catalog/index.ts';
import type {
  BlobStore,
  Clock,
  GenericStorage,
  Ids,
  LogPublisher,
  Random,
  Signer,
  Telemetry,
} from '../kernel/index.ts';
import type { ProcessOffers } from './commit/process-offers.store.ts';
import type { ExportBell } from './export/export-bell.ts';
import type { FlowCodecs } from './flow-codecs.port.ts';
import type { GostCodecs } from './gost-codecs.port.ts';
import type { GostStores } from './gost-stores.port.ts';
import type { Geocoder } from './offer/geocoder.port.ts';
import type { OfferId } from './offer/offer-id.ts';
import type { GostSettings } from './settings.ts';

/** What the offer store needs from outside. */
export type GostPorts = {
  readonly stores: GostStores;
  readonly codecs: GostCodecs & FlowCodecs;
  readonly log: LogPublisher;
  readonly storage: GenericStorage;
  readonly blobs: BlobStore;
  readonly catalog: () => Result<Catalog, CatalogNotLoaded>;
  readonly geocoder: Geocoder;
  readonly clock: Clock;
  readonly ids: Ids;
  readonly random: Random;
  readonly signer: Signer;
  readonly telemetry: Pick<Telemetry, 'logger' | 'metrics'>;
};
/** The ports with what the door makes of them: offers that are shared by the whole process. */
export type GostNeeds = Omit<GostPorts, 'stores'> &
  Omit<GostStores, 'offers'> & {
    readonly offers: ProcessOffers;
    readonly bell: ExportBell;
    readonly settings: GostSettings;
    readonly newOfferId: () => OfferId;
  };
