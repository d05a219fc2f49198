import { describe, expect, test } from 'vitest';
import {
  feedNamespaceViolations,
  feedSettingsViolations,
  defaultFeedSettingsLimits,
  noDefaults,
  parsedNamespace,
} from './feed.ts';
import { isUnchanged, outdatedLoads } from './decide-load.ts';
import { decideClaim, decideHeld, decideWatchdog } from './decide-run.ts';
import type { FeedTaskId } from './feed-task.ts';
import type { Load } from './load.ts';
import { sellerPath } from './seller-path.ts';
import { defaultFeedsSettings } from './settings.ts';
import { endedLoad, sampleFeed, sampleHash, sampleLoad, sampleStored } from '../testing/feed-samples.ts';

const settings = defaultFeedsSettings;
const failed = (task: number, code: 'permanent' | 'gave-up' | 'superseded'): Load => {
  const { removal: _, ...core } = endedLoad(task).task as Extract<Load['task'], { place: 'succeed' }>;
  const failure = code === 'superseded' ? { code } : { code, message: 'm' };
  return endedLoad(task, { task: { ...core, place: 'failed', failure } });
};

describe('settings of a feed', () => {
  test.each([
    ['main', true],
    ['a-1', true],
    ['x'.repeat(40), true],
    ['x'.repeat(41), false],
    ['', false],
    ['Main', false],
    ['a b', false],
  ])('[P1] the namespace %s is allowed: %s', (namespace, isAllowed) => {
    expect(feedNamespaceViolations(namespace).length === 0).toBe(isAllowed);
  });
  test.each([
    ['avito', 'parsed-avito'],
    ['a'.repeat(32), `parsed-${'a'.repeat(32)}`],
    ['a'.repeat(33), undefined],
    ['A', undefined],
    ['', undefined],
  ])('[P8] the source %s has the namespace %s', (source, namespace) => {
    expect(parsedNamespace(source).unwrapOr(undefined as never)).toBe(namespace);
  });
  test.each([
    [{ url: 'https://a.test/f.xml' }, []],
    [{ url: undefined, intervalMs: 0 }, []],
    [{ url: 'ftp://a.test/f' }, ['url Malformed']],
    [{ url: 'https://user:pass@a.test/' }, ['url Malformed']],
    [{ url: 'file:///etc/passwd' }, ['url Malformed']],
    [{ url: 'https://a.test/', intervalMs: 899_999 }, ['interval OutOfRange']],
    [{ url: 'https://a.test/', intervalMs: 900_000 }, []],
    [{ defaults: { ...noDefaults, currency: 'rub' } }, ['defaults.currency Malformed']],
    [{ defaults: { ...noDefaults, address: 'a\0' } }, ['defaults.address ControlCharacter']],
  ])('[P1] settings %j: %j', (change, expected) => {
    const given = { ...sampleFeed().settings, intervalMs: 3_600_000, ...change };
    const found = feedSettingsViolations(given, defaultFeedSettingsLimits);
    expect(
      found
        .map(({ path, code }) => `${path} ${code}`)
        .map((text) => text.replace(/address \w+/, 'address ControlCharacter')),
    ).toEqual(expected);
  });
});

describe('equal content', () => {
  const hash = sampleHash();
  const times = { nowMs: 10_000, catalogVersion: 7, settings };
  test.each([
    ['while the load has not ended', sampleLoad(1), true],
    ['after it was processed', endedLoad(1, { catalogVersion: 7 }), true],
    ['under another catalogue', endedLoad(1, { catalogVersion: 6 }), false],
    ['under other settings', endedLoad(1, { catalogVersion: 7, feedVersion: 0 }), false],
    ['after a broken file', failed(1, 'permanent'), true],
    ['after it was given up', failed(1, 'gave-up'), false],
    ['after it was superseded', failed(1, 'superseded'), false],
    [
      'with errors that may pass',
      endedLoad(1, { catalogVersion: 7, progress: { ...sampleLoad(1).progress, transientErrors: 1 } }),
      false,
    ],
    [
      'that is old',
      endedLoad(1, { catalogVersion: 7, createdAtMs: 10_000 - settings.reprocessAfterMs }),
      false,
    ],
    ['of another file', endedLoad(1, { file: { hash: sampleHash('b'), bytes: 1, owner: 'o' } }), false],
  ])('[P2] %s is unchanged: %s', (_name, newest, expected) => {
    expect(isUnchanged({ newest, feed: sampleFeed() }, hash, times)).toBe(expected);
  });
});

describe('a claim', () => {
  const times = { nowMs: 5_000, settings };
  const claim = (open: readonly Load[], holder?: string) => {
    const lock = { token: 4, holder, renewedAtMs: 5_000 };
    const free = { token: 0, holder: undefined, renewedAtMs: 0 };
    return decideClaim(sampleStored({ open, locks: { feedloader: free, feedprocessor: lock } }), 'me', times);
  };
  test('[P3] takes the lowest load that has not ended under a higher token', () => {
    expect(claim([sampleLoad(3)])).toMatchObject({
      kind: 'run',
      token: 5,
      load: { task: { generation: 5, running: true } },
    });
    expect(claim([sampleLoad(3)], 'another')).toEqual({ kind: 'wait' });
    expect(claim([])).toEqual({ kind: 'wait' });
  });
  test('[P3] a load that waits gives way to a younger one; a removal does not', () => {
    expect(claim([sampleLoad(1), sampleLoad(2)])).toMatchObject({
      kind: 'changed',
      change: { loads: [{ task: { id: 1, place: 'failed', failure: { code: 'superseded' } } }] },
    });
    const removal = sampleLoad(1, {
      origin: 'removal',
      task: { ...sampleLoad(1).task, purpose: 'removal' } as never,
    });
    expect(claim([removal, sampleLoad(2)])).toMatchObject({ kind: 'run', load: { task: { id: 1 } } });
  });
  test('[P3] a load that is not due waits', () => {
    const later = sampleLoad(1, { task: { ...sampleLoad(1).task, nextAttemptAtMs: 5_001 } as never });
    expect(claim([later])).toEqual({ kind: 'wait' });
  });
});

describe('the watchdog', () => {
  test('[P3] frees only locks that are late', () => {
    const at = (renewedAtMs: number) =>
      decideWatchdog(
        sampleStored({
          locks: {
            feedloader: { token: 1, holder: 'a', renewedAtMs },
            feedprocessor: { token: 2, holder: undefined, renewedAtMs: 0 },
          },
        }),
        { nowMs: settings.lockMs, settings },
      );
    expect(at(1)).toBeUndefined();
    expect(at(0)).toMatchObject({ locks: { feedloader: { token: 1, holder: undefined } } });
  });
  test('[P12] only a held load is approved', () => {
    const verdict = decideHeld(sampleStored({ open: [sampleLoad(1)] }), 1 as FeedTaskId, 'approve', {
      nowMs: 1,
      settings,
    });
    expect(verdict._unsafeUnwrapErr()).toEqual({ kind: 'NotHeld', place: 'queued' });
  });
});

test.each([
  [1, 1, [1, 2, 3]],
  [2, 1, [1, 2]],
  [3, 2, []],
])(
  '[P7] of loads with %i processed and %i others kept, the older ones go',
  (keepProcessed, keepOthers, gone) => {
    const history = [
      endedLoad(1),
      failed(2, 'permanent'),
      endedLoad(3),
      failed(4, 'permanent'),
      endedLoad(5),
      sampleLoad(6),
    ];
    const ids = outdatedLoads(history, { keepProcessed, keepOthers });
    expect(ids.toSorted()).toEqual(gone);
  },
);

test.each([
  ['title', 'offer/title'],
  ['photos[2]', 'offer/photos/photo[3]'],
  ['attributes.color', 'offer/attributes/attribute[@name="color"]'],
  ['price.currency', 'offer/price/@currency'],
  ['offer/place', 'offer/place'],
  ['constructor', 'constructor'],
])('[P6] the path %s is shown as %s', (path, shown) => {
  expect(sellerPath('auto', path)).toBe(shown);
  expect(sellerPath('doska-json', path)).toBe(path);
});
