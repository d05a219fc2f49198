import { err, ok } from 'neverthrow';
import { describe, expect, test } from 'vitest';
import { afterUnban, countSale, moveLifecycle, type LifecycleCommand } from './lifecycle.ts';
import { LIFECYCLES, type Lifecycle } from './status.ts';

/** Table T2 of the design, as a person reads it: one line a command, one cell a lifecycle, then banned (editable / not). */
const T2 = `
command   active   hidden   expired  sold         removed   banned-editable  banned
edit      active   hidden   expired  NotEditable  NotFound  same             Banned
activate  -        active   active   active       NotFound  Banned           Banned
hide      hidden   -        -        NotActive    NotFound  row              row
sell      sold     sold     sold     -            NotFound  Banned           Banned
expire    expired  -        -        -            -         row              row
remove    removed  removed  removed  removed      -         row              row
feedUpdate      active   hidden   active   Sold         NotFound  row              Banned
manual    active   hidden   expired  sold         -         row              row
photos    active   hidden   expired  sold         -         row              row
erase     removed  removed  removed  removed      removed   row              row`;
const [header = [], ...rows] = T2.trim()
  .split('\n')
  .map((line) => line.split(/\s+/));
const outcome = (cell: string) =>
  cell === '-' ? ok(undefined) : (LIFECYCLES as readonly string[]).includes(cell) ? ok(cell) : err(cell);

describe('T2', () => {
  const cells = rows.flatMap((row) =>
    LIFECYCLES.map((lifecycle) => ({
      command: row[0] as LifecycleCommand,
      lifecycle,
      cell: row[header.indexOf(lifecycle)]!,
    })),
  );
  test.each(cells)('[G1] [T2] $command on $lifecycle: $cell', ({ command, lifecycle, cell }) => {
    expect(moveLifecycle({ lifecycle, ban: undefined }, command)).toEqual(outcome(cell));
  });
  const banned = rows.flatMap((row) =>
    LIFECYCLES.filter((lifecycle) => lifecycle !== 'removed').flatMap((lifecycle) =>
      [true, false].map((editable) => ({
        command: row[0] as LifecycleCommand,
        lifecycle,
        editable,
        cell: row[header.indexOf(editable ? 'banned-editable' : 'banned')]!,
        plain: row[header.indexOf(lifecycle)]!,
      })),
    ),
  );
  test.each(banned)(
    '[G1] [G7] [T2] $command on $lifecycle under a ban (editable: $editable): $cell',
    ({ command, lifecycle, editable, cell, plain }) => {
      const expected = cell === 'row' ? plain : cell === 'same' ? lifecycle : cell;
      expect(moveLifecycle({ lifecycle, ban: { editable } }, command)).toEqual(outcome(expected));
    },
  );
  test.each(rows.map((row) => row[0] as LifecycleCommand))(
    '[G1] %s on a removed offer is the same under a ban',
    (command) => {
      expect(moveLifecycle({ lifecycle: 'removed', ban: { editable: true } }, command)).toEqual(
        moveLifecycle({ lifecycle: 'removed', ban: undefined }, command),
      );
    },
  );
  test.each<[Lifecycle, number | undefined, Lifecycle]>([
    ['active', 9, 'expired'],
    ['active', 10, 'expired'],
    ['active', 11, 'active'],
    ['active', undefined, 'active'],
    ['hidden', 9, 'hidden'],
    ['sold', 9, 'sold'],
  ])('[G1] unban of %s that expires at %s leaves it %s at 10', (lifecycle, expiresAtUs, after) => {
    expect(afterUnban(lifecycle, { expiresAtUs, nowUs: 10 })).toBe(after);
  });
  test.each([
    [false, true, { counts: true, soldOnPlatform: true }],
    [false, false, { counts: false, soldOnPlatform: false }],
    [true, true, { counts: false, soldOnPlatform: true }],
    [true, false, { counts: false, soldOnPlatform: true }],
  ])('[G11] sold before on the platform: %s, now: %s', (before, now, sale) => {
    expect(countSale(before, now)).toEqual(sale);
  });
});
