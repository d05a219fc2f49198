import { expect, test } from 'vitest';
import { makeProgress } from './progress.ts';

const onto = (isTTY: boolean, columns = 80) => {
  let nowMs = 1_000;
  const written: string[] = [];
  const stream = { isTTY, columns, write: (text: string) => written.push(text) };
  const progress = makeProgress({ stream, nowMs: () => nowMs, unit: 'offers' });
  return { written, progress, pass: (ms: number) => (nowMs += ms) };
};
const CLEAR = '\r\u001b[2K';

test('[H8] on a terminal the bar is drawn over itself and taken away at the end', () => {
  const { written, progress, pass } = onto(true);
  progress.at(0, 200);
  pass(99);
  progress.at(10, 200);
  pass(1_901);
  progress.at(100, 200);
  progress.end();
  progress.end();
  expect(written).toEqual([
    `${CLEAR}[..............................] 0 %  0 of 200 offers`,
    `${CLEAR}[###############...............] 50 %  100 of 200 offers, 50 a second`,
    CLEAR,
  ]);
});
test('[H8] without a known end the terminal shows the count', () => {
  const { written, progress } = onto(true);
  progress.at(7);
  expect(written).toEqual([`${CLEAR}7 offers`]);
});
test('[H8] the bar is not wider than the terminal', () => {
  const { written, progress } = onto(true, 20);
  progress.at(1, 2);
  expect(written[0]!.slice(CLEAR.length).length).toBeLessThanOrEqual(19);
});
test('[H8] where there is no terminal, a line comes each few seconds, and nothing for short work', () => {
  const { written, progress, pass } = onto(false);
  progress.at(1, 100);
  pass(4_999);
  progress.at(40, 100);
  expect(written).toEqual([]);
  pass(1);
  progress.at(50, 100);
  pass(100);
  progress.at(60, 100);
  progress.end();
  expect(written).toEqual(['50 of 100 offers, 10 a second\n']);
});
