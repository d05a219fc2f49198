import type { EpochState } from '../epochs/epoch.ts';
import { describe, expect, test } from 'vitest';
import { sampleEpochs, sampleReceived, sampleRow, sampleSettings } from '../testing/document-samples.ts';
import type { RawDocument } from '../document/raw-document.ts';
import { expiryOf, judge, type Judgement } from './judge.ts';
import type { Lane, RegistryRow } from './registry-row.ts';

const NOW = 500_000;
const judged = (
  given: Partial<RawDocument>,
  stored: RegistryRow | undefined,
  lane: Lane = 'main',
): Judgement => judge(sampleReceived(given, lane), stored, sampleEpochs(), NOW, sampleSettings);

const EVENTS = {
  upsert: { event: 'upsert' },
  'upsert with a later ttl': { event: 'upsert', expiresAtMs: NOW + 1 },
  'upsert whose ttl is over': { event: 'upsert', expiresAtMs: NOW },
  delete: { event: 'delete' },
  'delete with a ttl that is over': { event: 'delete', expiresAtMs: NOW },
  erase: { event: 'erase' },
} as const satisfies Record<string, Partial<RawDocument>>;
type EventName = keyof typeof EVENTS;

/** How the document's place relates to the stored one: version 5, timestamp 5000. */
const SENT = {
  'lower version': { version: 4, composedAtMs: 9_000 },
  'lower timestamp': { version: 5, composedAtMs: 4_999 },
  'same place': { version: 5, composedAtMs: 5_000 },
  'higher timestamp': { version: 5, composedAtMs: 5_001 },
  'higher version': { version: 6, composedAtMs: 1 },
} as const;
type SentName = keyof typeof SENT;

const place = { version: 5, timestampMs: 5_000 };
const ROWS = {
  none: undefined,
  alive: sampleRow({ place }),
  'deleted by its client': sampleRow({ place, status: 'tombstone' }),
  expired: sampleRow({ place: { ...place, kind: 'expiry' }, status: 'tombstone' }),
} as const;

const written = (event: EventName) => ({
  kind: 'write',
  verdict: { kind: event === 'upsert whose ttl is over' ? 'expired' : 'accepted' },
  erases: event === 'erase',
  row: {
    status: event === 'upsert' || event === 'upsert with a later ttl' ? 'alive' : 'tombstone',
    place: { kind: event === 'upsert whose ttl is over' ? 'expiry' : 'document' },
    expiresAtMs: event === 'upsert with a later ttl' ? NOW + 1 : undefined,
    writtenAtMs: NOW,
  },
});
const EXPECTED: Record<SentName, (row: keyof typeof ROWS) => unknown> = {
  'lower version': () => ({ kind: 'keep', verdict: { kind: 'stale', decidedBy: 'version' } }),
  'lower timestamp': () => ({ kind: 'keep', verdict: { kind: 'stale', decidedBy: 'timestamp' } }),
  'same place': () => ({ kind: 'keep', verdict: { kind: 'duplicate', conflict: true } }),
  'higher timestamp': () => undefined,
  'higher version': () => undefined,
};

describe('every event over every row', () => {
  for (const event of Object.keys(EVENTS) as EventName[])
    for (const sent of Object.keys(SENT) as SentName[])
      for (const row of Object.keys(ROWS) as (keyof typeof ROWS)[])
        test(`[V1] [V2] ${event}, ${sent}, row: ${row}`, () => {
          const judgement = judged({ ...EVENTS[event], ...SENT[sent] }, ROWS[row]);
          const kept = row === 'none' ? undefined : EXPECTED[sent](row);
          expect(judgement).toMatchObject(kept ?? written(event));
          if (judgement.kind === 'write')
            expect(judgement.row.body === undefined).toBe(judgement.row.status === 'tombstone');
        });
});

test('[V1] the same document again is no conflict', () => {
  const first = judged({}, undefined);
  const again = judged({}, (first as Extract<Judgement, { kind: 'write' }>).row);
  expect(again).toEqual({ kind: 'keep', verdict: { kind: 'duplicate', conflict: false }, raise: false });
});
test('[V4] the row says which schema its document was judged under', () => {
  const fields = { title: { kind: 'text' } } as const;
  const schemaOf = (document: Partial<RawDocument>) => {
    const epochs = sampleEpochs({ number: 7, fields });
    const judgement = judge(sampleReceived(document), undefined, epochs, NOW, sampleSettings);
    return judgement.kind === 'write' && [judgement.row.schema, judgement.growth?.number];
  };
  const price = { name: 'price', kind: 'number', multiple: false, value: 1 } as const;
  expect([schemaOf({}), schemaOf({ fields: [price] }), schemaOf({ event: 'delete' })]).toEqual([
    [7, undefined],
    [8, 8],
    [7, undefined],
  ]);
});
test('[V1] a stale verdict tells both triples', () => {
  expect(judged({ version: 4, composedAtMs: 9_000 }, ROWS.alive).verdict).toEqual({
    kind: 'stale',
    decidedBy: 'version',
    sent: { epoch: 1, version: 4, timestampMs: 9_000 },
    stored: { epoch: 1, version: 5, timestampMs: 5_000 },
  });
});

describe('documents from before the horizon', () => {
  const now = 5_000_000;
  const old = now - sampleSettings.horizonMs;
  test.each([
    [old - 1, undefined, 'too_old'],
    [old, undefined, 'accepted'],
    [old - 1, sampleRow({ place: { version: 0, timestampMs: 1 } }), 'accepted'],
    [old - 1, sampleRow({ place: { version: 9, timestampMs: 1 } }), 'stale'],
  ] as const)('[V5] composed at %i over %o: %s', (composedAtMs, stored, kind) => {
    const received = sampleReceived({ composedAtMs });
    expect(judge(received, stored, sampleEpochs(), now, sampleSettings).verdict.kind).toBe(kind);
  });
});

test('[V5] an epoch that is being built takes documents from before the horizon: an archive is replayed into it', () => {
  const received = sampleReceived({ epoch: 2, composedAtMs: 1 });
  const verdictIn = (state: EpochState) =>
    judge(received, undefined, sampleEpochs(undefined, [[2, state]]), 5_000_000, sampleSettings).verdict.kind;
  expect([verdictIn('building'), verdictIn('serving'), verdictIn('retained')]).toEqual([
    'accepted',
    'too_old',
    'too_old',
  ]);
});

describe('epochs', () => {
  test('[V5] a document of an epoch that is not living is refused with the living ones', () => {
    const epochs = sampleEpochs(undefined, [
      [3, 'retained'],
      [4, 'serving'],
      [5, 'building'],
    ]);
    const verdicts = [2, 3, 4, 5, 6].map(
      (epoch) => judge(sampleReceived({ epoch }), undefined, epochs, NOW, sampleSettings).verdict,
    );
    const unknown = { kind: 'unknown_epoch', living: [3, 4, 5] };
    const accepted = { kind: 'accepted' };
    expect(verdicts).toEqual([unknown, accepted, accepted, accepted, unknown]);
  });
});

describe('a live document over a row that waits in bulk', () => {
  const waiting = sampleRow({ place, lane: 'bulk' });
  test.each([
    ['same place', 'main', waiting, true],
    ['lower timestamp', 'main', waiting, true],
    ['lower version', 'main', waiting, false],
    ['same place', 'bulk', waiting, false],
    ['same place', 'main', ROWS.alive, false],
  ] as const)('[V7] %s by %s: raised %#', (sent, lane, row, raise) => {
    expect(judged(SENT[sent], row, lane)).toMatchObject({ kind: 'keep', raise });
  });
});

describe('the end of a ttl', () => {
  const alive = sampleRow({ place, expiresAtMs: NOW, lane: 'bulk' });
  test('[V5] is a tombstone at its document’s own triple, just above it', () => {
    expect(expiryOf(alive, NOW)).toEqual({
      ...alive,
      place: { ...alive.place, kind: 'expiry' },
      status: 'tombstone',
      expiresAtMs: undefined,
      writtenAtMs: NOW,
      lane: 'main',
      body: undefined,
    });
  });
  test.each([
    ['not over yet', { ...alive, expiresAtMs: NOW + 1 }],
    ['no ttl', { ...alive, expiresAtMs: undefined }],
    ['a tombstone', { ...alive, status: 'tombstone' as const }],
  ])('[V5] none: %s', (_why, row) => expect(expiryOf(row, NOW)).toBeUndefined());
});

describe('invalid documents', () => {
  const text = { name: 'title', kind: 'text', multiple: false, value: 'x' } as const;
  const field = (given: Partial<RawDocument['fields'][number]>) => ({ fields: [{ ...text, ...given }] });
  test.each<[string, Partial<RawDocument>, string[]]>([
    ['no fields', { fields: [] }, ['fields Missing']],
    ['fields of a delete', { event: 'delete', fields: [text] }, ['fields Unexpected']],
    ['payload of an erase', { event: 'erase', payload: new Uint8Array(1) }, ['fields Unexpected']],
    ['empty pk', { pk: '' }, ['pk LENGTH']],
    ['513-byte pk', { pk: 'я'.repeat(256) + 'x' }, ['pk LENGTH']],
    ['negative version', { version: -1 }, ['freshness.version RANGE']],
    ['version 2^53', { version: 2 ** 53 }, ['freshness.version RANGE']],
    ['negative ttl', { expiresAtMs: -1 }, ['ttl Range']],
    ['NaN', field({ kind: 'number', value: NaN }), ['title TYPE']],
    ['latitude 95', field({ kind: 'geo', value: { lat: 95, lon: 0 } }), ['title TYPE']],
    ['a text as a number', field({ kind: 'number', value: '5' }), ['title TYPE']],
    ['257 values', field({ kind: 'enum', multiple: true, value: Array(257).fill('x') }), ['title TYPE']],
    ['a list of numbers', field({ kind: 'number', multiple: true, value: 5 }), ['title Type']],
    ['the same field twice', { fields: [text, text] }, ['title Repeated']],
    ['a field and an embedding', { embeddings: [{ name: 'title', vector: [1] }] }, ['title Repeated']],
    ['an empty name', field({ name: '' }), ['fields.name Missing']],
    ['an endless vector', { embeddings: [{ name: 'v', vector: [Infinity] }] }, ['v TYPE']],
    ['an empty vector', { embeddings: [{ name: 'v', vector: [] }] }, ['v RANGE']],
    ['too large', field({ value: 'x'.repeat(256 * 1024) }), [' TooLarge']],
    ['from the future', { composedAtMs: NOW + 300_001 }, ['modify_timestamp InTheFuture']],
    [
      'everything at once',
      { pk: '', fields: [text, text], expiresAtMs: 0.5 },
      ['ttl Range', 'title Repeated', 'pk LENGTH'],
    ],
  ])('[V1] %s', (_what, given, expected) => {
    const { verdict } = judged(given, undefined);
    expect(verdict.kind).toBe('invalid');
    if (verdict.kind !== 'invalid') return;
    expect(verdict.violations.map(({ path, code }) => `${path} ${code}`)).toEqual(expected);
  });
  test.each<[string, Partial<RawDocument>]>([
    ['512-byte pk', { pk: 'я'.repeat(256) }],
    ['5 minutes ahead', { composedAtMs: NOW + 300_000 }],
    ['version 2^53 - 1', { version: 2 ** 53 - 1 }],
    ['256 values', field({ kind: 'enum', multiple: true, value: Array(256).fill('x') })],
  ])('[V1] still good: %s', (_what, given) => expect(judged(given, undefined).verdict.kind).toBe('accepted'));
});
