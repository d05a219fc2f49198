import { xxh64 } from '../../kernel/index.ts';
import { defaultDocumentLimits } from '../document/document-rules.ts';
import type { Freshness } from '../document/freshness.ts';
import { clientName, type ClientName, type RawDocument } from '../document/raw-document.ts';
import type { ClientEpochs, EpochState } from '../epochs/epoch.ts';
import type { Received } from '../registry/judge.ts';
import type { Lane, RegistryRow } from '../registry/registry-row.ts';
import type { RegistryWrite } from '../registry/document-registry.port.ts';
import { documentShard } from '../queues/shard-of-document.ts';
import { emptySchema, type EpochSchema } from '../schema/epoch-schema.ts';

export const sampleClient = (name = 'things'): ClientName => clientName(name)!;
export const SAMPLE_SHARDS = 4;
export const sampleSettings = { limits: defaultDocumentLimits, horizonMs: 1_000_000 };

export const sampleDocument = (given: Partial<RawDocument> = {}): RawDocument => {
  const event = given.event ?? 'upsert';
  return {
    pk: 'a',
    event,
    epoch: 1,
    version: 1,
    composedAtMs: 1_000,
    fields:
      event === 'upsert' ? [{ name: 'title', kind: 'text', multiple: false, value: 'red bicycle' }] : [],
    embeddings: [],
    expiresAtMs: undefined,
    payload: undefined,
    ...given,
  };
};
export const sampleReceived = (given: Partial<RawDocument> = {}, lane: Lane = 'main'): Received => {
  const document = sampleDocument(given);
  const text = JSON.stringify(document);
  return {
    document,
    lane,
    body: new TextEncoder().encode(text),
    contentHash: xxh64(text).toString(16).padStart(16, '0'),
  };
};
export const sampleEpochs = (
  schema: EpochSchema = emptySchema,
  states: readonly (readonly [number, EpochState])[] = [[1, 'serving']],
): ClientEpochs => ({ version: 1, epochs: states.map(([epoch, state]) => ({ epoch, state, schema })) });

export const sampleRow = (
  given: Partial<Omit<RegistryRow, 'place'>> & { readonly place?: Partial<Freshness> } = {},
): RegistryRow => {
  const { place, status = 'alive', ...rest } = given;
  return {
    pk: 'a',
    status,
    expiresAtMs: undefined,
    writtenAtMs: 2_000,
    schema: 3,
    lane: 'main',
    contentHash: '0123456789abcdef',
    body: status === 'alive' ? new TextEncoder().encode('body') : undefined,
    ...rest,
    place: { epoch: 1, version: 1, timestampMs: 1_000, kind: 'document', ...place },
  };
};
export const sampleWrite = (
  given: Parameters<typeof sampleRow>[0] = {},
  options: Partial<Omit<RegistryWrite, 'row'>> = {},
): RegistryWrite => {
  const row = sampleRow(given);
  return { row, shard: documentShard(row.pk, SAMPLE_SHARDS), mayBeFirst: true, erases: false, ...options };
};
