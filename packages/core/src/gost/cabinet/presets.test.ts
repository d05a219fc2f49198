import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { cabinet, moveBetween, PRESETS, TOTALS, type Preset, type Total } from './presets.ts';
import { LIFECYCLES, STATUSES, statusOf, type Status } from '../offer/status.ts';

/** Table T3 of the design, as a person reads it. */
const T3: Record<Status, [presets: Preset[], total: Total | undefined]> = {
  active: [['all', 'active'], 'Active'],
  hidden: [['all', 'inactive'], undefined],
  expired: [['all', 'inactive'], 'Expired'],
  banned: [['all', 'banned'], 'Banned'],
  sold: [['all', 'sold'], undefined],
  removed: [[], undefined],
};

describe('T3', () => {
  test.each(STATUSES)(
    '[G6] [G11] [T3] an offer that is %s is in the lists and totals of its row',
    (status) => {
      expect([cabinet[status].presets, cabinet[status].total]).toEqual(T3[status]);
    },
  );
  test('[G6] the numbers of presets and totals are stored and never change', () => {
    expect(PRESETS).toEqual({ all: 1, active: 2, inactive: 3, banned: 4, sold: 5 });
    expect(TOTALS).toEqual({ Active: 1, Expired: 2, Banned: 3, Sold: 4, MoneyEarned: 5 });
  });
  test('[G6] [G11] moves along any history end in the row of the last status', () => {
    const anyStatus = fc.constantFrom<Status | undefined>(undefined, ...STATUSES);
    fc.assert(
      fc.property(fc.array(anyStatus, { maxLength: 20 }), (history) => {
        const rows = new Set<Preset>();
        const totals = new Map<Total, number>();
        let before: Status | undefined;
        for (const after of history) {
          const { added, removed, totals: moved } = moveBetween(before, after);
          for (const preset of removed) expect(rows.delete(preset)).toBe(true);
          for (const preset of added) {
            expect(rows.has(preset)).toBe(false);
            rows.add(preset);
          }
          for (const { total, by } of moved) totals.set(total, (totals.get(total) ?? 0) + by);
          before = after;
        }
        expect([...rows].sort()).toEqual([...(before ? cabinet[before].presets : [])].sort());
        expect([...totals].filter(([, count]) => count !== 0)).toEqual(
          before && cabinet[before].total ? [[cabinet[before].total, 1]] : [],
        );
      }),
      { numRuns: 1_000 },
    );
  });
  test.each(LIFECYCLES)('[G1] %s under a ban', (lifecycle) => {
    expect(statusOf({ lifecycle, banned: false })).toBe(lifecycle);
    expect(statusOf({ lifecycle, banned: true })).toBe(lifecycle === 'removed' ? 'removed' : 'banned');
  });
});
