import * as fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { compareVersions, formatVersion, nextVersion, parseVersion, supersedes } from './version.ts';

const at = (ms: number, sequence: number, source = '') => ({ ms, sequence, source });

describe('versions', () => {
  test.each([
    ['a later record of the same partition', at(5, 8, 'p'), at(5, 7, 'p'), true],
    ['a later record whose log clock went back', at(4, 8, 'p'), at(5, 7, 'p'), true],
    ['an earlier record of the same partition', at(6, 6, 'p'), at(5, 7, 'p'), false],
    ['the same record again', at(5, 7, 'p'), at(5, 7, 'p'), false],
    ['a later record of another partition', at(6, 1, 'q'), at(5, 7, 'p'), true],
    ['a record of another partition in the same millisecond', at(5, 9, 'q'), at(5, 7, 'p'), false],
    ['an earlier record of another partition', at(4, 9, 'q'), at(5, 7, 'p'), false],
    ['a record after a PUT', at(6, 0, 'p'), at(5, 0), true],
    ['a record in the millisecond of a PUT', at(5, 9, 'p'), at(5, 0), false],
    ['a late record after a PUT', at(4, 9, 'p'), at(5, 0), false],
    ['a record of a topic that was created again', at(6, 0, 'p2'), at(5, 900, 'p'), true],
  ])('[F9] %s replaces what is stored: $3', (_name, record, stored, expected) => {
    expect(supersedes(record, stored)).toBe(expected);
  });
  test.each([
    ['nothing stored', 10, [], { ms: 10, sequence: 0 }],
    ['an older one stored', 10, [at(9, 4)], { ms: 10, sequence: 0 }],
    ['one of the same millisecond stored', 10, [at(10, 4)], { ms: 10, sequence: 5 }],
    ['one from a clock ahead stored', 10, [at(15, 4)], { ms: 15, sequence: 5 }],
    ['several stored', 10, [at(15, 4), at(15, 9), at(3, 99)], { ms: 15, sequence: 10 }],
  ])('[F9] a write with %s gets a version above it', (_name, nowMs, stored, expected) => {
    expect(nextVersion(nowMs, stored)).toEqual(expected);
  });
  test('[F9] a write is never below the clock and always above what is stored', () => {
    const version = fc.record({
      ms: fc.integer({ min: 0, max: 9 }),
      sequence: fc.integer({ min: 0, max: 9 }),
    });
    fc.assert(
      fc.property(fc.integer({ min: 0, max: 9 }), fc.array(version), (nowMs, stored) => {
        const next = nextVersion(nowMs, stored);
        expect(next.ms).toBeGreaterThanOrEqual(nowMs);
        for (const one of stored) expect(compareVersions(next, one)).toBeGreaterThan(0);
      }),
      { numRuns: 1000 },
    );
  });
  test.each([
    ['1-0', { ms: 1, sequence: 0 }],
    [`${Number.MAX_SAFE_INTEGER}-7`, { ms: Number.MAX_SAFE_INTEGER, sequence: 7 }],
    ['9007199254740992-0', undefined],
    ['1', undefined],
    ['-1-0', undefined],
    ['1-0-0', undefined],
    ['', undefined],
    ['a-b', undefined],
  ])('[F9] "%s" as a version', (text, version) => {
    expect(parseVersion(text)).toEqual(version);
    if (version) expect(formatVersion(version)).toBe(text);
  });
});
