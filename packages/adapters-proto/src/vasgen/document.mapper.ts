import type { Freshness, RawDocument, RawField } from '@doska/core/vasgen';
import type { Field, Place, RawDocument as PbDocument } from '../generated/doska/vasgen/v1/document.ts';
import { DocumentEvent } from '../generated/doska/vasgen/v1/document.ts';
import { enumTable } from '../enum-table.mapper.ts';

const events = enumTable({
  upsert: DocumentEvent.DOCUMENT_EVENT_UPSERT,
  delete: DocumentEvent.DOCUMENT_EVENT_DELETE,
  erase: DocumentEvent.DOCUMENT_EVENT_ERASE,
  unknown: DocumentEvent.DOCUMENT_EVENT_UNSPECIFIED,
});

/** Numbers that are not safe stay recognisable as such: the receiver refuses them with the name of the field. */
const numberOf = (value: bigint): number => Number(value);
const bigintOf = (value: number): bigint =>
  Number.isInteger(value) ? BigInt.asIntN(64, BigInt(value)) : -1n;

const oneKinds = {
  text: 'text',
  number: 'number',
  boolean: 'boolean',
  enum: 'enum',
  string: 'string',
  geo: 'geo',
} as const;

export const fieldFromPb = ({ name, value }: Field): RawField => {
  if (!value) return { name, kind: 'string', multiple: false, value: undefined };
  if (value.$case === 'enums' || value.$case === 'strings')
    return {
      name,
      kind: value.$case === 'enums' ? 'enum' : 'string',
      multiple: true,
      value: value.value.values,
    };
  return { name, kind: oneKinds[value.$case], multiple: false, value: value.value };
};

const valueToPb = ({ kind, multiple, value }: RawField): Field['value'] => {
  if (value === undefined) return undefined;
  if (multiple) {
    const list = { values: [...(value as readonly string[])] };
    return kind === 'enum' ? { $case: 'enums', value: list } : { $case: 'strings', value: list };
  }
  // The kind was made from the case, so the value is of it.
  return { $case: kind, value } as Field['value'];
};

export const documentFromPb = (pb: PbDocument): RawDocument => ({
  pk: pb.pk,
  event: events.fromPb(pb.event) ?? 'unknown',
  epoch: numberOf(pb.epoch),
  version: numberOf(pb.version),
  composedAtMs: numberOf(pb.modifyTimestampMs),
  fields: pb.fields.map(fieldFromPb),
  embeddings: pb.embeddings,
  expiresAtMs: pb.expiresAtMs === undefined ? undefined : numberOf(pb.expiresAtMs),
  payload: pb.payload,
});

export const documentToPb = (document: RawDocument): PbDocument => ({
  pk: document.pk,
  event: events.toPb(document.event) as DocumentEvent,
  epoch: bigintOf(document.epoch),
  version: bigintOf(document.version),
  modifyTimestampMs: bigintOf(document.composedAtMs),
  fields: document.fields.map((field) => ({ name: field.name, value: valueToPb(field) })),
  embeddings: document.embeddings.map(({ name, vector }) => ({ name, vector: [...vector] })),
  expiresAtMs: document.expiresAtMs === undefined ? undefined : bigintOf(document.expiresAtMs),
  payload: document.payload,
});

export const placeFromPb = ({ epoch, version, timestampMs, expiry }: Place): Freshness => ({
  epoch: numberOf(epoch),
  version: numberOf(version),
  timestampMs: numberOf(timestampMs),
  kind: expiry ? 'expiry' : 'document',
});
export const placeToPb = ({ epoch, version, timestampMs, kind }: Freshness): Place => ({
  epoch: bigintOf(epoch),
  version: bigintOf(version),
  timestampMs: bigintOf(timestampMs),
  expiry: kind === 'expiry',
});
