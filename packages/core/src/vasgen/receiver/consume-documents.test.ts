import { err, errAsync, ok, okAsync } from 'neverthrow';
import { expect, test } from 'vitest';
import { unavailable, type LogRecord, type PublishError } from '../../kernel/index.ts';
import { sampleDocument } from '../testing/document-samples.ts';
import type { Verdict } from '../registry/judge.ts';
import { makeConsumeDocuments } from './consume-documents.use-case.ts';
import type { QualifiedBatch, RejectedDocument } from './qualified-batch.ts';
import type { ReceiveDocuments } from './receive-documents.use-case.ts';

const position = { log: 'l', topic: 'vasgen-indexer', partition: 0, offset: 3 };
const REFUSED: readonly Verdict[] = [
  { kind: 'invalid', epoch: 1, violations: [] },
  { kind: 'too_old' } as Verdict,
  { kind: 'unknown_epoch', living: [1] },
];
const TAKEN = ['accepted', 'expired', 'duplicate', 'stale'].map((kind) => ({ kind }) as Verdict);

type World = {
  batch?: QualifiedBatch;
  received?: Awaited<ReturnType<ReceiveDocuments>>;
  refusal?: PublishError;
};
const handled = async ({ batch, received = ok(TAKEN), refusal }: World) => {
  const published: LogRecord[] = [];
  const rejected: RejectedDocument[] = [];
  const documents = Array.from({ length: 7 }, (_, n) => sampleDocument({ pk: `pk${n}` }));
  const handle = makeConsumeDocuments(
    {
      receiveDocuments: async () => received,
      batches: {
        encode: () => new Uint8Array(),
        decode: (bytes) =>
          bytes.length === 0
            ? err({ kind: 'Malformed', what: 'a batch' })
            : ok(batch ?? { client: 'things', documents }),
      },
      rejected: {
        encode: (one) => (rejected.push(one), new Uint8Array()),
        decode: () => err({ kind: 'Malformed', what: 'never read' }),
      },
      log: {
        promises: { fences: false, joinsTransactions: false },
        publish: (records) => {
          if (refusal) return errAsync(refusal);
          published.push(...records);
          return okAsync(undefined);
        },
      },
      retryMs: 5,
    },
    'main',
  );
  const record = (value: Uint8Array) =>
    handle({ key: '', value, headers: {}, timestampMs: 0, position }, new AbortController().signal);
  return {
    outcome: await record(Uint8Array.of(1)),
    malformed: () => record(new Uint8Array()),
    published,
    rejected,
  };
};

test('[V1] documents that were refused are published with verdict and place, the others are not', async () => {
  const { outcome, published, rejected } = await handled({ received: ok([...TAKEN, ...REFUSED]) });
  expect(outcome).toEqual({ kind: 'done' });
  expect(published.map(({ topic, key }) => [topic, key])).toEqual(
    ['pk4', 'pk5', 'pk6'].map((pk) => ['vasgen-rejected', pk]),
  );
  expect(rejected.map(({ verdict, index, position: at }) => [verdict, index, at])).toEqual(
    REFUSED.map((verdict, n) => [verdict, 4 + n, position]),
  );
});
test('[V1] nothing is published when nothing was refused', async () => {
  const world = await handled({ refusal: unavailable('log') });
  expect([world.outcome, world.published]).toEqual([{ kind: 'done' }, []]);
});
test('[V1] bytes that can not be read and clients that are not there are dead letters', async () => {
  expect(await (await handled({})).malformed()).toEqual({ kind: 'poison', reason: 'Malformed: a batch' });
  const unnamed = await handled({ batch: { client: 'No Name!', documents: [] } });
  expect(unnamed.outcome).toMatchObject({ kind: 'poison', reason: 'the client has no proper name' });
  const unknown = await handled({ received: err({ kind: 'UnknownClient', client: 'things' } as never) });
  expect(unknown.outcome).toEqual({ kind: 'poison', reason: 'there is no client "things"' });
});
test.each<[string, World, object]>([
  ['the store is away', { received: err(unavailable('store')) }, { reason: 'store', lasting: false }],
  [
    'one document has no outcome',
    { received: ok([...TAKEN, { kind: 'unavailable' }]) },
    { reason: 'some documents have no outcome yet', lasting: false },
  ],
  [
    'the log is away',
    { received: ok(REFUSED), refusal: unavailable('log') },
    { reason: 'the rejects can not be published: Unavailable', lasting: false },
  ],
  [
    'the log refuses the records',
    { received: ok(REFUSED), refusal: { kind: 'RecordsTooLarge' } as never },
    { reason: 'the rejects can not be published: RecordsTooLarge', lasting: true },
  ],
])('[V1] the record is tried again while %s', async (_, world, told) => {
  const { outcome, published } = await handled(world);
  expect(outcome).toMatchObject({ kind: 'retry', afterMs: 5, ...told });
  expect(published).toEqual([]);
});
