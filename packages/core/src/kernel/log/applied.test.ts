import { err, ok } from 'neverthrow';
import { expect, test } from 'vitest';
import type { Position } from '../ports/message-log.port.ts';
import { isNews } from './applied.ts';

const at = (offset: number, more: Partial<Position> = {}): Position => ({
  log: 'memory:1',
  topic: 't',
  partition: 3,
  offset,
  ...more,
});

test.each([
  { name: 'nothing was applied yet', applied: undefined, out: ok(true) },
  { name: 'the one before was applied', applied: at(6), out: ok(true) },
  { name: 'this very record was applied', applied: at(7), out: ok(false) },
  { name: 'a later one was applied', applied: at(8), out: ok(false) },
])('[B7] $name', ({ applied, out }) => {
  expect(isNews(applied, at(7))).toEqual(out);
});

test.each([
  { name: 'another log', applied: at(1, { log: 'memory:2' }) },
  { name: 'another topic', applied: at(1, { topic: 'other' }) },
  { name: 'another partition', applied: at(1, { partition: 4 }) },
])('[B7] a stored position of $name is refused, never compared', ({ applied }) => {
  expect(isNews(applied, at(7))).toEqual(
    err({ kind: 'ForeignPosition', position: applied, log: 'memory:1' }),
  );
});
