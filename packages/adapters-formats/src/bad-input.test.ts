import { gzipSync } from 'node:zlib';
import { describe, expect, test } from 'vitest';
import { feed, offer, read } from './testing/read-file.ts';

const withTitle = (title: string): string => feed(offer.replace('T', title));
const withDoctype = (inside: string, title: string): string =>
  `<!DOCTYPE feed [${inside}]>${withTitle(title)}`;
const nested = Array.from({ length: 10 }, (_, n) => `<!ENTITY e${n + 1} "${`&e${n};`.repeat(10)}">`).join('');
const MB = 1 << 20;

describe('a file that is meant to hurt', () => {
  test.each([
    ['nested entities', withDoctype(`<!ENTITY e0 "ha">${nested}`, '&e10;'), 'xml', /entity/],
    [
      'an entity that is used often',
      withDoctype(`<!ENTITY a "${'x'.repeat(50_000)}">`, '&a;'.repeat(50_000)),
      'xml',
      /entity/,
    ],
    ['an external entity', withDoctype('<!ENTITY a SYSTEM "file:///etc/passwd">', '&a;'), 'xml', /entity/],
    [
      'an entity from the network',
      withDoctype('<!ENTITY a SYSTEM "http://127.0.0.1:1/a">', '&a;'),
      'xml',
      /entity/,
    ],
    [
      'an external parameter entity',
      withDoctype('<!ENTITY % a SYSTEM "http://127.0.0.1:1/a"> %a;', '&b;'),
      'xml',
      /entity/,
    ],
    [
      'a million elements inside each other',
      `<feed>${'<a>'.repeat(1_000_000)}${'</a>'.repeat(1_000_000)}</feed>`,
      'xsd',
      /only have offer/,
    ],
    [
      'a million elements in an offer',
      feed(`<offer id="1">${'<a>'.repeat(1_000_000)}${'</a>'.repeat(1_000_000)}</offer>`),
      'TooDeep',
      /16 elements/,
    ],
    ['an attribute of 50 MB', feed(`<offer id="${'x'.repeat(50 * MB)}"/>`), 'TooLong', /characters/],
    ['a name of 5 MB', feed(`<${'x'.repeat(5 * MB)}/>`), 'TooLong', /characters/],
    ['a comment of 50 MB', feed(`<!--${'x'.repeat(50 * MB)}-->${offer}`), 'TooLong', /characters/],
    [
      'a thousand attributes',
      feed(`<offer ${Array.from({ length: 1_000 }, (_, n) => `a${n}="1"`).join(' ')}/>`),
      'TooMany',
      /20 attributes/,
    ],
    ['a tag without an end', `<feed><offer id="1"${' '.repeat(5 * MB)}</feed>`, 'TooLong', /characters/],
    ['a tag that never ends', `<feed><offer id="1"`, 'truncated', /cut off/],
  ])('[P4] %s: one error with its place', async (_name, file, code, message) => {
    const { offers, fatal } = await read(file, { size: 65_536 });
    expect(offers).toEqual([]);
    expect(fatal).toMatchObject({ code, message: expect.stringMatching(message) as string });
    if (code !== 'truncated') expect(fatal?.line).toBeGreaterThan(0);
  });
  test('[P4] a gzip bomb is refused before the first offer', async () => {
    const blanks = Buffer.concat([
      Buffer.from('<feed>'),
      Buffer.alloc(64 * MB, ' '),
      Buffer.from(`${offer}</feed>`),
    ]);
    const outcome = await read(gzipSync(blanks), { size: 4_096 });
    expect(outcome).toMatchObject({ offers: [], fatal: { code: 'TooLarge' } });
  });
  test('[P4] a gzip file that lies about its size or its checksum is refused before the first offer', async () => {
    for (const fromEnd of [2, 6]) {
      const file = gzipSync(feed(offer));
      file.writeUInt8(file.readUInt8(file.length - fromEnd) ^ 1, file.length - fromEnd);
      expect(await read(file)).toMatchObject({ offers: [], fatal: { code: 'gzip' } });
    }
  });
  test.each([
    ['a text', (text: string) => text],
    ['a CDATA section', (text: string) => `<![CDATA[${text}]]>`],
    ['a text that ends in an entity', (text: string) => `${text}&amp;`],
    ['blanks before a text', (text: string) => `${text.replaceAll('x', ' ')}y`],
  ])('[P4] %s of 5 MB is cut, not kept, and is a problem of its offer', async (_name, wrapped) => {
    const description = `<description>${wrapped('x'.repeat(5 * MB))}</description>`;
    const long = offer.replace('</category>', `</category>${description}`);
    const { offers, fatal } = await read(feed(long + offer), { size: 65_537 });
    expect(fatal).toBeUndefined();
    expect(offers[0]!.description).toHaveLength(100_000);
    expect(offers[0]!.problems).toMatchObject([{ path: 'offer/description' }]);
    expect(offers[1]!.problems).toEqual([]);
  });
  test('[P4] an offer with a million mistakes keeps a hundred of them, and what is too many is not kept', async () => {
    const inside = (more: string): string => feed(offer.replace('</category>', `</category>${more}`) + offer);
    const names = Array.from({ length: 200_000 }, (_, n) => `<a${n}/>`).join('');
    const photos = `<photos>${`<photo>${'x'.repeat(100)}</photo>`.repeat(100_000)}</photos>`;
    const attributes = Array.from({ length: 50_000 }, (_, n) => `<attribute name="${n}">1</attribute>`).join(
      '',
    );
    for (const [more, problems, kept] of [
      [names, 100, { photos: 0, attributes: 0 }],
      [photos, 1, { photos: 100, attributes: 0 }],
      [`<attributes>${attributes}</attributes>`, 1, { photos: 0, attributes: 200 }],
    ] as const) {
      const { offers, fatal } = await read(inside(more), { size: 65_536 });
      expect(fatal).toBeUndefined();
      expect(offers[0]!.problems).toHaveLength(problems);
      expect({ photos: offers[0]!.photos.length, attributes: offers[0]!.attributes.length }).toEqual(kept);
      expect(offers[1]!.problems).toEqual([]);
    }
  });
  test.each([255, 4_097, 65_536])(
    '[P4] a text that is taken in pieces is the same text (chunks of %s bytes)',
    async (size) => {
      const words = Array.from({ length: 60_000 }, (_, n) => `слово ${n} &lt;&amp;`).join(' ');
      const described = offer.replace('</category>', `</category><description>${words}</description>`);
      const { offers } = await read(feed(described), { size, limits: { textCharsMax: 5_000_000 } });
      const said = offers[0]!.description;
      expect(said === words.replaceAll('&lt;', '<').replaceAll('&amp;', '&')).toBe(true);
    },
  );
});

describe('a file that is not what it should be', () => {
  const cyrillic = Buffer.from([0xc0, 0xe1, 0xe2]);
  test.each([
    [
      'windows-1251 that is called UTF-8',
      Buffer.concat([
        Buffer.from('<feed>\n<offer id="1"><title>'),
        cyrillic,
        Buffer.from('</title></offer></feed>'),
      ]),
      'encoding',
      /not utf-8 near this line/,
    ],
    [
      'UTF-8 that is called UTF-16',
      Buffer.from(`<?xml version="1.0" encoding="utf-16"?>${feed(offer)}`),
      'format',
      /neither XML nor JSON|cut off/,
    ],
    ['a NUL byte', withTitle('a\0b'), 'xml', /disallowed character/],
    [
      'a half of a character at the end',
      Buffer.concat([Buffer.from(feed(offer)), Buffer.from([0xd0])]),
      'truncated',
      /cut off/,
    ],
    ['an HTML page', '<!DOCTYPE html>\n<html><body>404</body></html>', 'html', /HTML page/],
    [
      'a login form',
      '<html lang="en"><form action="/login"><input name="password"></form></html>',
      'html',
      /HTML page/,
    ],
    [
      'XHTML',
      '<?xml version="1.0"?><html xmlns="http://www.w3.org/1999/xhtml"><body/></html>',
      'xsd',
      /HTML page/,
    ],
    ['an empty file', '', 'empty', /empty/],
    ['a mark of its encoding and nothing else', Buffer.from([0xef, 0xbb, 0xbf]), 'empty', /empty/],
    ['a picture', Buffer.from([0x89, 0x50, 0x4e, 0x47, 0x0d, 0x0a]), 'format', /neither XML nor JSON/],
    ['a JSON list', '[{"id": 1}]', 'format', /neither XML nor JSON/],
    ['an offer twice inside itself', feed(`<offer id="1">${offer}</offer>`), undefined, undefined],
  ])('[P11] %s', async (_name, file, code, message) => {
    const { offers, fatal } = await read(file, { size: 16 });
    expect(fatal?.code).toBe(code);
    if (message) expect(fatal?.message).toMatch(message);
    else expect(offers[0]!.problems.length).toBeGreaterThan(0);
  });
  test('[P4] thousands of comments behind the end are read at once, and a broken one is the end of nothing', async () => {
    const comments = '<!---->'.repeat(2_000);
    expect((await read(feed(offer) + comments)).offers).toHaveLength(1);
    expect((await read(`${feed(offer)}${comments}x`)).fatal?.code).toBe('truncated');
    expect((await read(`${feed(offer)}<!-- </feed> -->`)).offers).toHaveLength(1);
  });
  test('[P4] lines are counted the same with any line ends', async () => {
    for (const end of ['\n', '\r\n', '\r']) {
      const file = ['<feed>', offer, '', offer.replace('1', '2'), '</feed>'].join(end);
      const { offers, fatal } = await read(file, { size: 5 });
      expect([fatal, offers.map(({ line }) => line)]).toEqual([undefined, [2, 4]]);
    }
  });
});
