import type { CategoryId } from '@doska/core/catalog';
import type { CommandId, Lifecycle, OfferId, SellerId } from '@doska/core/gost';
import type { AppliedCommand, OfferBodies, OfferHead } from '@doska/core/gost/storage';
import type { Malformed } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';
import { enumTable } from '../enum-table.mapper.ts';
import type { OfferStatus } from '../generated/doska/gost/v1/offer.ts';
import {
  Lifecycle as PbLifecycle,
  type AppliedCommand as PbCommand,
  type Images as PbImages,
  type Moderation as PbModeration,
  type OfferContent as PbContent,
  type OfferHead as PbHead,
} from '../generated/doska/gost/stored/v1/stored.ts';
import {
  geoFromPb,
  geoToPb,
  photoFromPb,
  photoToPb,
  statuses,
  textFromPb,
  textToPb,
} from './offer.mapper.ts';

const lifecycles = enumTable<Lifecycle>({
  active: PbLifecycle.LIFECYCLE_ACTIVE,
  hidden: PbLifecycle.LIFECYCLE_HIDDEN,
  expired: PbLifecycle.LIFECYCLE_EXPIRED,
  sold: PbLifecycle.LIFECYCLE_SOLD,
  removed: PbLifecycle.LIFECYCLE_REMOVED,
});
const malformed = (what: string, field: string): Result<never, Malformed> =>
  err({ kind: 'Malformed', what, field });

const commandToPb = ({ id, version, updatedAtUs, status, fingerprint }: AppliedCommand): PbCommand => ({
  id,
  version: BigInt(version),
  updatedAtUs: BigInt(updatedAtUs),
  status: statuses.toPb(status) as OfferStatus,
  fingerprint: fingerprint === undefined ? undefined : BigInt(fingerprint),
});
const commandFromPb = (command: PbCommand): Result<AppliedCommand, Malformed> => {
  const status = statuses.fromPb(command.status);
  if (!status) return malformed('offer head', 'commands');
  const version = Number(command.version);
  const updatedAtUs = Number(command.updatedAtUs);
  const said = command.fingerprint === undefined ? {} : { fingerprint: Number(command.fingerprint) };
  return ok({ id: command.id as CommandId, version, updatedAtUs, status, ...said });
};

export const headToPb = (head: OfferHead): PbHead => ({
  id: head.id,
  sellerId: head.seller,
  source: head.source && { ...head.source },
  contentHash: 0n,
  catalogVersion: BigInt(head.catalogVersion),
  lifecycle: lifecycles.toPb(head.lifecycle) as PbLifecycle,
  soldOnPlatform: head.soldOnPlatform,
  createdAtUs: BigInt(head.createdAtUs),
  updatedAtUs: BigInt(head.updatedAtUs),
  expiresAtUs: head.expiresAtUs === undefined ? undefined : BigInt(head.expiresAtUs),
  retiredAtUs: head.retiredAtUs === undefined ? undefined : BigInt(head.retiredAtUs),
  version: BigInt(head.version),
  commands: head.commands.map(commandToPb),
});
export const headFromPb = (head: PbHead): Result<OfferHead, Malformed> => {
  const lifecycle = lifecycles.fromPb(head.lifecycle);
  if (head.id === '' || !lifecycle) return malformed('offer head', lifecycle ? 'id' : 'lifecycle');
  const id = head.id as OfferId;
  return Result.combine(head.commands.map(commandFromPb)).map((commands) => ({
    id,
    seller: head.sellerId as SellerId,
    source: head.source && { namespace: head.source.namespace, externalId: head.source.externalId },
    catalogVersion: Number(head.catalogVersion),
    lifecycle,
    soldOnPlatform: head.soldOnPlatform,
    createdAtUs: Number(head.createdAtUs),
    updatedAtUs: Number(head.updatedAtUs),
    expiresAtUs: head.expiresAtUs === undefined ? undefined : Number(head.expiresAtUs),
    retiredAtUs: head.retiredAtUs === undefined ? undefined : Number(head.retiredAtUs),
    version: Number(head.version),
    commands,
  }));
};

export const contentToPb = ({ content, geo }: OfferBodies['content']): PbContent => ({
  categoryId: content.category,
  text: textToPb(content),
  geo: geo && geoToPb(geo),
});
export const contentFromPb = ({
  categoryId,
  text,
  geo,
}: PbContent): Result<OfferBodies['content'], Malformed> => {
  if (!text) return malformed('offer content', 'text');
  return textFromPb(text).map((read) => ({
    content: { ...read, category: categoryId as CategoryId },
    geo: geo && geoFromPb(geo),
  }));
};

export const moderationToPb = ({ ban, opinionVersion }: OfferBodies['moderation']): PbModeration => ({
  opinionVersion: BigInt(opinionVersion),
  ban: ban && { editable: ban.editable, reasons: [...ban.reasons] },
});
export const moderationFromPb = ({ ban, opinionVersion }: PbModeration): OfferBodies['moderation'] => ({
  ban: ban && { editable: ban.editable, reasons: ban.reasons },
  opinionVersion: Number(opinionVersion),
});

export const imagesToPb = ({ images }: OfferBodies['images']): PbImages => ({
  images: images.map(photoToPb),
});
export const imagesFromPb = ({ images }: PbImages): Result<OfferBodies['images'], Malformed> =>
  Result.combine(
    images.map((photo) => {
      const { url, outcome } = photoFromPb(photo);
      return outcome ? ok({ url, outcome }) : malformed('images', 'outcome');
    }),
  ).map((known) => ({ images: known }));
