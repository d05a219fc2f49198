import { readFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { feedTaskStates, offerStates } from '../scripts/parts/state-diagrams.mjs';

const RUN = 'run `npm run diagrams`';
const committed = (path: string): string => readFileSync(new URL(`../${path}`, import.meta.url), 'utf8');

describe('state diagrams', () => {
  test('[T2] docs/states/offer.md is what the table of offers gives', () => {
    expect(committed('docs/states/offer.md'), RUN).toBe(offerStates());
  });
  test('[T5] docs/states/feed-task.md is what the table of feed tasks gives', () => {
    expect(committed('docs/states/feed-task.md'), RUN).toBe(feedTaskStates());
  });
  test('[T2] an offer starts active, and a removed one never comes back', () => {
    const text = offerStates();
    expect(text).toContain('[*] --> active');
    expect(text).toContain('active --> sold : sell');
    expect(text).not.toMatch(/^ +removed -->/m);
  });
  test('[T5] a feed task starts queued, and a final one stays final', () => {
    const text = feedTaskStates();
    expect(text).toContain('[*] --> queued');
    expect(text).toContain('held --> queued : approve');
    expect(text).not.toMatch(/^ +(failed|succeed) --> [a-z]/m);
  });
});
