import { randomInt, randomUUID } from 'node:crypto';
import { pgVasgenStores } from '@doska/adapters-pg';
import { vasgenCodecs } from '@doska/adapters-proto';
import { silentTelemetry, type MessageLog } from '@doska/core/kernel';
import { inMemoryBlobStore, inMemoryGenericStorage, memoryDatabase } from '@doska/core/kernel/testing';
import {
  clientName,
  defaultVasgenSettings,
  openVasgen,
  type FieldSpec,
  type RawDocument,
  type Vasgen,
} from '@doska/core/vasgen';
import type pg from 'pg';
import { benchSchema, fieldsOf } from '../engine/corpus.ts';
import { clock } from '../engine/own.ts';

export const client = clientName('bench')!;

/** The pipeline of a process, over PostgreSQL. */
export const vasgenOn = async (pool: pg.Pool, log: MessageLog): Promise<Vasgen> => {
  const vasgen = openVasgen(
    {
      stores: pgVasgenStores(pool),
      codecs: vasgenCodecs,
      log,
      blobs: inMemoryBlobStore(),
      storage: inMemoryGenericStorage(memoryDatabase({ nowMs: clock.nowMs })),
      ids: { next: () => randomUUID() },
      clock,
      random: { below: (n) => randomInt(n) },
      telemetry: silentTelemetry,
    },
    { ...defaultVasgenSettings, clients: [client] },
  );
  (await vasgen.prepare())._unsafeUnwrap();
  return vasgen;
};

/** Bodies of about a kilobyte. Making one takes longer than receiving it: a few are made once. */
const FIELDS = Array.from({ length: 200 }, (_, number) =>
  Object.entries(fieldsOf(number)).map(([name, value]) => {
    const { kind } = (benchSchema as Readonly<Record<string, FieldSpec>>)[name]!;
    return { name, kind: kind as 'text', multiple: false, value };
  }),
);
/** Older than the horizon would be refused. */
const COMPOSED_AT_MS = Date.now() - 60_000;
export const documentOf = (pk: string, version: number): RawDocument => ({
  pk,
  event: 'upsert',
  epoch: 1,
  version,
  composedAtMs: COMPOSED_AT_MS,
  fields: FIELDS[(version + pk.length * 7) % FIELDS.length]!,
  embeddings: [],
  expiresAtMs: undefined,
  payload: undefined,
});
