import { DraftServiceDefinition } from '@doska/adapters-proto/generated/doska/gost/v1/draft_service';
import {
  CabinetServiceDefinition,
  Preset,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { err, ok, type Result, type ResultAsync } from 'neverthrow';
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
  /** Addresses of pictures, the first is the cover. */
  readonly photos: readonly string[];
  readonly attributes: readonly {
    readonly attributeId: string;
    readonly values: readonly PublishedValue[];
  }[];
};
/** Publishes offers of sellers, as a service does. */
export interface PublishingClient {
  /** How many offers the seller has, removed ones left out. */
  count(seller: string): ResultAsync<number, RpcError>;
  /** The ids of the seller's active offers. */
  active(seller: string): Promise<Result<readonly string[], RpcError>>;
  /** A seller has one draft: publish the offers of one seller one after another. */
  publish(seller: string, offer: PublishedOffer): Promise<Result<void, RpcError>>;
}

const DEADLINE_MS = 30_000;
const PAGE_OFFERS = 200;
const valueToPb = (value: PublishedValue) => {
  if ('text' in value) return { value: { $case: 'text' as const, value: value.text } };
  if ('number' in value) return { value: { $case: 'number' as const, value: value.number } };
  return { value: { $case: 'flag' as const, value: value.flag } };
};
const textToPb = ({ title, description, price, address, phone, photos, attributes }: PublishedOffer) => ({
  title,
  description,
  price: price && { minorUnits: BigInt(price.minorUnits), currency: price.currency },
  photos: [...photos],
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
    active: async (sellerId) => {
      const ids: string[] = [];
      for (let pageToken = ''; ;) {
        const asked = { sellerId, preset: Preset.PRESET_ACTIVE, pageSize: PAGE_OFFERS, pageToken };
        const page = await cabinet.listOffers(asked, options);
        if (page.isErr()) return err(page.error);
        ids.push(...page.value.offers.flatMap(({ view }) => (view ? [view.id] : [])));
        pageToken = page.value.nextPageToken;
        if (pageToken === '') return ok(ids);
      }
    },
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
