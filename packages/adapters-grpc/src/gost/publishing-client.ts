import { DraftServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import {
  CabinetServiceDefinition,
  Preset,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { err, type Result, type ResultAsync } from 'neverthrow';
import type { GrpcChannel } from '../client/grpc-channel.ts';
import type { RpcError } from '../status/error-of.ts';

export type PublishedValue =
  { readonly text: string } | { readonly number: number } | { readonly flag: boolean };
/** What a seller says of an offer that is published at once. */
export type PublishedOffer = {
  readonly categoryId: string;
  readonly title: string;
  readonly description: string;
  readonly price: { readonly minorUnits: number; readonly currency: string } | undefined;
  readonly address: string;
  readonly phone: string;
  readonly attributes: readonly {
    readonly attributeId: string;
    readonly values: readonly PublishedValue[];
  }[];
};
/** Publishes offers of sellers, as a service does. */
export interface PublishingClient {
  /** How many offers the seller has, removed ones left out. */
  count(seller: string): ResultAsync<number, RpcError>;
  /** A seller has one draft: publish the offers of one seller one after another. */
  publish(seller: string, offer: PublishedOffer): Promise<Result<void, RpcError>>;
}

const DEADLINE_MS = 30_000;
const valueToPb = (value: PublishedValue) => {
  if ('text' in value) return { value: { $case: 'text' as const, value: value.text } };
  if ('number' in value) return { value: { $case: 'number' as const, value: value.number } };
  return { value: { $case: 'flag' as const, value: value.flag } };
};
const textToPb = ({ title, description, price, address, phone, attributes }: PublishedOffer) => ({
  title,
  description,
  price: price && { minorUnits: BigInt(price.minorUnits), currency: price.currency },
  photos: [],
  place: { address, point: undefined },
  contacts: { name: undefined, phone, email: undefined },
  attributes: attributes.map(({ attributeId, values }) => ({ attributeId, values: values.map(valueToPb) })),
});

export const publishingClient = (channel: GrpcChannel): PublishingClient => {
  const drafts = channel.client(DraftServiceDefinition);
  const cabinet = channel.client(CabinetServiceDefinition);
  const options = { deadlineMs: DEADLINE_MS };
  return {
    count: (sellerId) =>
      cabinet
        .getSummary({ sellerId }, options)
        .map(({ counts }) => Number(counts.find(({ preset }) => preset === Preset.PRESET_ALL)?.offers ?? 0n)),
    publish: async (sellerId, offer) => {
      const owner = { userId: sellerId, anonymousToken: '', anonymousId: '' };
      const { categoryId } = offer;
      const current = await drafts.getCurrentDraft({ owner, categoryId }, options);
      if (current.isErr()) return err(current.error);
      const draftId = current.value.draft?.id ?? '';
      const saved = await drafts.saveDraft({ owner, draftId, categoryId, text: textToPb(offer) }, options);
      if (saved.isErr()) return err(saved.error);
      return (await drafts.publishDraft({ draftId, sellerId }, options)).map(() => undefined);
    },
  };
};
