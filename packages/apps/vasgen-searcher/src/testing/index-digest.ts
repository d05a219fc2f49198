import { searcherClient, type GrpcChannel } from '@doska/adapters-grpc';
import { DigestParts, type ClientName, type PartDigest, type VasgenStores } from '@doska/core/vasgen';

/** Enough that a difference names a small part of the documents. */
const PARTS = 16;

/** The living documents of an epoch as the registry has them: how many and a checksum of their places, in each part. */
export const registryDigest = async (
  { registry }: Pick<VasgenStores, 'registry'>,
  client: ClientName,
  epoch: number,
): Promise<readonly PartDigest[]> => {
  const parts = new DigestParts(PARTS, 'place');
  type Page = Awaited<ReturnType<typeof registry.scan>>;
  for (let after: { hash: number; pk: string } | undefined; ;) {
    const page: Page = await registry.scan(client, epoch, { limit: 1_000, ...(after && { after }) });
    const { rows, next } = page._unsafeUnwrap();
    for (const { pk, place, status } of rows) if (status === 'alive') parts.add(pk, place);
    if (!next) return parts.result();
    after = next;
  }
};

/** The same of what a searcher finds. For at most 1000 documents. */
export const indexDigest = async (
  channel: GrpcChannel,
  client: ClientName,
  epoch: number,
): Promise<readonly PartDigest[]> => {
  const request = { plan: '', epoch, page: { limit: 1_000 } };
  const { hits, total } = (await searcherClient(channel).execute(client, request))._unsafeUnwrap();
  if (hits.length < total) throw new Error(`${total} documents are too many to compare`);
  const parts = new DigestParts(PARTS, 'place');
  for (const { pk, freshness } of hits) parts.add(pk, freshness);
  return parts.result();
};
