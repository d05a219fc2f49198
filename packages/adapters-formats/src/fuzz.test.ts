import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { seededRandom } from '@doska/core/kernel/testing';
import { expect, test } from 'vitest';
import { read } from './testing/read-file.ts';
import { zipOf } from './testing/zip-samples.ts';

const ROUNDS = process.env['DOSKA_TEST_LONG'] ? 100_000 : 1_500;
const xml = readFileSync(new URL('../../../samples/feeds/shop.xml', import.meta.url));
const json = JSON.stringify({
  profile: { contacts: { phone: '+7 900' } },
  offers: Array.from({ length: 5 }, (_, n) => ({
    id: n,
    title: `Велосипед ${n}`,
    attributes: { a: ['b', 1] },
  })),
});
const SAMPLES: readonly Buffer[] = [
  xml,
  Buffer.from(json),
  Buffer.from(`\uFEFF${xml.toString('utf8').replace('UTF-8', 'UTF-16')}`, 'utf16le'),
  gzipSync(xml),
  await zipOf({ name: 'shop.xml', content: xml }),
  await zipOf({ name: 'shop.xml', content: xml, stored: true }),
];
/** What breaks parsers: ends of things, starts of things, and numbers at their limits. */
const TOKENS = [
  '<',
  '>',
  '</',
  '/>',
  '&',
  '&amp;',
  '&nbsp;',
  '&#0;',
  '&#x110000;',
  ']]>',
  '<![CDATA[',
  '<!--',
  '-->',
  '<?',
  '?>',
  '<!DOCTYPE a [',
  '<offer id="1">',
  '</offer>',
  '<feed>',
  '</feed>',
  '"',
  "'",
  '\0',
  '\uFEFF',
  '{',
  '}',
  '[',
  ']',
  ',',
  '\\',
  '\\u',
  'PK\x03\x04',
  'PK\x05\x06',
  'PK\x01\x02',
  '\x1f\x8b',
  '\xff\xff\xff\xff',
  '\n',
  '\r',
  'x'.repeat(5_000),
].map((token) => Buffer.from(token, 'latin1'));

const mutated = (sample: Buffer, random: ReturnType<typeof seededRandom>): Buffer => {
  let file = Buffer.from(sample);
  for (let times = 1 + random.below(4); times > 0; times--) {
    const at = random.below(file.length + 1);
    const to = Math.min(file.length, at + random.below(200));
    switch (random.below(6)) {
      case 0:
        if (at < file.length) file.writeUInt8(random.below(256), at);
        break;
      case 1:
        file = Buffer.concat([file.subarray(0, at), file.subarray(to)]);
        break;
      case 2:
        file = Buffer.concat([file.subarray(0, to), file.subarray(at)]);
        break;
      case 3:
        file = Buffer.concat([file.subarray(0, at), TOKENS[random.below(TOKENS.length)]!, file.subarray(at)]);
        break;
      case 4:
        file = file.subarray(0, at);
        break;
      default:
        file = Buffer.concat([
          file.subarray(0, at),
          SAMPLES[random.below(SAMPLES.length)]!.subarray(0, to - at),
          file.subarray(to),
        ]);
    }
  }
  return file;
};

test(
  '[P4] [P11] no damage to a file is more than an error of it: no crash, no endless reading, no growing memory',
  { timeout: 3_600_000 },
  async () => {
    const random = seededRandom(20);
    const heaps: number[] = [];
    let broken = 0;
    for (let round = 0; round < ROUNDS; round++) {
      const file = mutated(SAMPLES[round % SAMPLES.length]!, random);
      const size = 1 + random.below(4_096);
      const outcome = await read(file, { size, limits: { decodedBytesMax: 1 << 20 } }).catch(
        (cause: unknown) => {
          throw new Error(`round ${round}: ${file.toString('base64')}`, { cause });
        },
      );
      if (outcome.fatal) broken += 1;
      if (outcome.fatal?.message === '') throw new Error(`round ${round}: an error without a message`);
      expect(outcome.steps).toBeLessThanOrEqual(2 + Math.ceil((1 << 20) / 256) + file.length);
      if (round % 5_000 === 0) heaps.push(process.memoryUsage().heapUsed);
    }
    expect(broken).toBeGreaterThan(ROUNDS / 4);
    expect(heaps.at(-1)! - heaps[0]!).toBeLessThan(200 << 20);
  },
);
