import { expect, test } from 'vitest';
import { searchVerdictOf, type OfferOnItsWay } from './search-why.ts';

const row = { epoch: 1, serving: true, state: 'alive', version: 7, waiting: 0, failure: '' };
const refusal = { epoch: 1, version: 7, verdict: 'invalid', reason: 'title is too long' };
const explained: OfferOnItsWay['explained'] = {
  found: true,
  rank: 45,
  page: 3,
  total: 200,
  version: 7,
  exclusions: [],
  corrected: undefined,
  relevance: 0.5,
  boosts: [{ field: 'publishedAt', factor: 2 }],
  score: 1,
};
const excluded = { ...explained, found: false, rank: undefined, page: undefined };
const missing = {
  ...excluded,
  version: undefined,
  exclusions: [{ kind: 'index', subject: '', reason: 'the index does not have the offer' }],
};
const offer = (more: Partial<OfferOnItsWay> = {}): OfferOnItsWay => ({
  offerId: 'A1',
  history: { status: 'active', why: ['It is active: the seller published it.'] },
  blocked: [],
  located: { epochs: [row], refusals: [] },
  explained,
  ...more,
});
const at = (more: Partial<typeof row>) => ({ epochs: [{ ...row, ...more }], refusals: [] });

test.each<[string, OfferOnItsWay, string]>([
  [
    'found',
    offer(),
    'It is on page 3, place 45 of 200, because its score is 1.000 (relevance 0.500, publishedAt × 2.00).',
  ],
  [
    'found when the time ran out',
    offer({ explained: { ...explained, rank: undefined, page: undefined } }),
    'It is in the results, but the index ran out of time before its place was known.',
  ],
  ['unknown', offer({ history: undefined, explained: missing }), 'There is no offer A1.'],
  [
    'hidden',
    offer({ history: { status: 'hidden', why: ['It is hidden: the seller hid it.'] }, explained: missing }),
    'It is not shown: It is hidden: the seller hid it.',
  ],
  [
    'of a blocked partition',
    offer({ blocked: ['gost-offer-updates/1 is blocked by record 5.'], explained: missing }),
    'It is not in the index: gost-offer-updates/1 is blocked by record 5.',
  ],
  [
    'refused by the receiver',
    offer({ located: { epochs: [{ ...row, state: 'none' }], refusals: [refusal] }, explained: missing }),
    'The receiver refused it (invalid): title is too long',
  ],
  [
    'not convertible',
    offer({ located: at({ failure: 'the body is damaged' }), explained: missing }),
    'It could not be converted: the body is damaged',
  ],
  [
    'never sent',
    offer({ located: at({ state: 'none' }), explained: missing }),
    'It has not come to the index: the search scheduler has not sent it. `doska search reindex` sends it again.',
  ],
  [
    'deleted in the registry alone',
    offer({ located: at({ state: 'tombstone' }), explained: missing }),
    'It is active, but the index has it deleted. `doska search audit --repair` sends it again.',
  ],
  [
    'in the queue',
    offer({ located: at({ waiting: 9 }), explained: missing }),
    'It is on its way: 9 elements wait in its queue.',
  ],
  [
    'on its way to the searcher',
    offer({ explained: missing }),
    'It was sent to the index, but the searcher does not have it yet.',
  ],
  [
    'excluded by a filter',
    offer({
      explained: {
        ...excluded,
        exclusions: [
          {
            kind: 'filter',
            subject: 'attr.color:red',
            reason: 'the filter attr.color:red excludes it: the offer says nothing',
          },
        ],
      },
    }),
    'It is not in these results: the filter attr.color:red excludes it: the offer says nothing.',
  ],
])('[S8] an offer that is %s is told so', (_, one, verdict) => {
  expect(searchVerdictOf(one).verdict).toBe(verdict);
});

test('[S8] the steps go from the offer store to the results', () => {
  const told = offer({
    located: { epochs: [row], refusals: [refusal] },
    blocked: ['gost-offer-updates/1 is blocked by record 5.'],
    explained: { ...explained, corrected: 'хомяк' },
  });
  expect(searchVerdictOf(told).steps).toEqual([
    'offer store: It is active: the seller published it.',
    'scheduler: gost-offer-updates/1 is blocked by record 5.',
    'receiver: refused version 7 in epoch 1 (invalid): title is too long',
    'registry: epoch 1 has it alive, version 7; its queue is empty.',
    'index: it has version 7.',
    'text: corrected to хомяк.',
    'results: place 45 of 200.',
  ]);
});
