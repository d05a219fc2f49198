import { expect, test } from 'vitest';
import { sampleError } from '../testing/feed-samples.ts';
import { csvHeader, csvOfErrors } from './error-sheet.ts';

test.each([
  ['=1+1', "'=1+1"],
  ['+7 900', "'+7 900"],
  ['-5', "'-5"],
  ['@sum', "'@sum"],
  ['\tx', "'\tx"],
  ['a,b', '"a,b"'],
  ['say "hi"', '"say ""hi"""'],
  ['two\nlines', '"two\nlines"'],
  ['Велосипед', 'Велосипед'],
])('[P1] a cell with %j is written as %j and never becomes a formula', (value, cell) => {
  expect(csvOfErrors([sampleError('id', { value })])).toBe(
    `id,Bicycle,error,category,offer/category,no category,${cell},1\r\n`,
  );
});
test('[P1] the first line names the columns', () => {
  expect(csvHeader).toBe('external_id,title,level,code,path,message,value,line\r\n');
});
