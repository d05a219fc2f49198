import { readFileSync } from 'node:fs';
import { gzipSync } from 'node:zlib';
import { defaultReadLimits } from '@doska/core/feeds';
import { describe, expect, test } from 'vitest';
import { feed, offer, read } from './testing/read-file.ts';

const sample = readFileSync(new URL('../../../samples/feeds/shop.xml', import.meta.url));

describe('our XML', () => {
  test('[P11] the sample is read the same in chunks of any size', async () => {
    const whole = await read(sample, { size: 1_000_000 });
    expect(whole.fatal).toBeUndefined();
    expect(whole.offers.map(({ id }) => id)).toEqual([
      'bike-1',
      'bike-2',
      'no-category',
      'wrong-value',
      'no-title',
      'no-contact',
      'bike-1',
    ]);
    expect(whole.offers[0]).toMatchObject({
      line: 4,
      title: 'Горный велосипед Stels Navigator',
      price: '24 990,50',
      currency: 'RUR',
      attributes: [{ name: 'Тип велосипеда', values: ['Горный'] }],
      problems: [],
    });
    for (const size of [1, 3, 1_000])
      expect(await read(sample, { size })).toEqual({ ...whole, steps: expect.any(Number) as number });
  });
  test.each([
    ['a missing element', '<offer id="1"><category>c</category></offer>', ['offer/title']],
    [
      'an unknown element',
      '<offer id="1"><title>T</title><category>c</category><wings/></offer>',
      ['offer/wings'],
    ],
    [
      'an unknown attribute',
      '<offer id="1" x="2"><title>T</title><category>c</category></offer>',
      ['offer/@x'],
    ],
    [
      'an element twice',
      '<offer id="1"><title>T</title><title>U</title><category>c</category></offer>',
      ['offer/title'],
    ],
    ['an empty text', '<offer id="1"><title></title><category>c</category></offer>', ['offer/title']],
    [
      'a long text',
      `<offer id="1"><title>${'x'.repeat(501)}</title><category>c</category></offer>`,
      ['offer/title'],
    ],
    ['a longest text', `<offer id="1"><title>${'x'.repeat(500)}</title><category>c</category></offer>`, []],
    [
      'a bad number',
      '<offer id="1"><title>T</title><category>c</category><place><latitude>x</latitude></place></offer>',
      ['offer/place/latitude'],
    ],
    [
      'a number out of range',
      '<offer id="1"><title>T</title><category>c</category><place><latitude>181</latitude></place></offer>',
      ['offer/place/latitude'],
    ],
    ['text between elements', '<offer id="1">hello<title>T</title><category>c</category></offer>', ['offer']],
    [
      'an attribute without a name',
      '<offer id="1"><title>T</title><category>c</category><attributes><attribute>v</attribute></attributes></offer>',
      ['offer/attributes/attribute[1]/@name'],
    ],
  ])('[P4] %s is a problem of its offer, and the next offer is read', async (_name, xml, paths) => {
    const { offers, fatal } = await read(feed(xml + offer));
    expect(fatal).toBeUndefined();
    expect(offers[0]!.problems.map(({ path }) => path)).toEqual(paths);
    expect(offers[1]).toMatchObject({ ordinal: 1, problems: [] });
  });
  test('[P4] an offer without an id has none', async () => {
    const { offers } = await read(feed('<offer><title>T</title><category>c</category></offer>'));
    expect(offers[0]).toMatchObject({ id: undefined, line: 2 });
  });
  test.each([
    ['malformed XML', feed('<offer id="1"><title>T</offer>'), 'xml', 2],
    ['another root', '<yml_catalog></yml_catalog>', 'xsd', 1],
    ['another element beside offers', feed('<shop/>'), 'xsd', 2],
    ['text beside offers', feed('hello'), 'xsd', undefined],
    ['a file that is cut off', `<feed>${offer}`, 'truncated', undefined],
    ['an empty file', '', 'empty', undefined],
    ['blanks only', '  \n ', 'empty', undefined],
    ['an HTML page', '<!DOCTYPE html><html><body>Log in</body></html>', 'html', 1],
    ['plain text', 'id;title\n1;T', 'format', 1],
    ['an unknown entity', feed(offer.replace('T', '&boom;')), 'xml', 2],
    [
      'an entity of a DOCTYPE',
      `<!DOCTYPE feed [<!ENTITY x "y">]>${feed(offer.replace('T', '&x;'))}`,
      'xml',
      2,
    ],
    [
      'an external entity',
      `<!DOCTYPE feed [<!ENTITY x SYSTEM "file:///etc/passwd">]>${feed(offer.replace('T', '&x;'))}`,
      'xml',
      2,
    ],
    ['a NUL byte', feed(offer.replace('T', 'a\0b')), 'xml', 2],
    ['an unknown encoding', `<?xml version="1.0" encoding="koi8-x"?>${feed(offer)}`, 'encoding', undefined],
    ['a damaged gzip file', gzipSync(feed(offer)).fill(7, 14, 24), 'gzip', undefined],
    ['a gzip file that is cut off', gzipSync(feed(offer)).subarray(0, 40), 'gzip', undefined],
    [
      'broken UTF-8',
      Buffer.concat([Buffer.from(`<feed>\n${offer}`), Buffer.from([0xc3, 0x28]), Buffer.from('</feed>')]),
      'encoding',
      undefined,
    ],
  ])('[P4] [P11] %s is one fatal error with its place', async (_name, file, code, line) => {
    const { fatal } = await read(file);
    expect(fatal?.code).toBe(code);
    if (line !== undefined) expect(fatal?.line).toBe(line);
  });
  test('[P4] [X2] sizes are bounded: depth, names, attributes, offers, unpacked bytes', async () => {
    const deep = feed(`<offer id="1">${'<a>'.repeat(1_000)}${'</a>'.repeat(1_000)}</offer>`);
    expect((await read(deep)).fatal?.code).toBe('TooDeep');
    expect((await read(feed(`<offer id="${'x'.repeat(3_000)}"/>`))).fatal?.code).toBe('TooLong');
    expect((await read(feed(offer + offer), { limits: { offersMax: 1 } })).fatal?.code).toBe('TooMany');
    const bomb = gzipSync(`<feed>${' '.repeat(50 << 20)}</feed>`);
    expect((await read(bomb, { size: 65_536 })).fatal?.code).toBe('TooLarge');
    const long = feed(`<offer id="1" x="${'y'.repeat(6 << 20)}"/>`);
    expect((await read(long, { size: 65_536 })).fatal?.code).toBe('TooLong');
  });
  test('[P4] a long text is cut, not kept', async () => {
    const { offers } = await read(
      feed(
        `<offer id="1"><title>T</title><category>c</category><description>${'d'.repeat(200_000)}</description></offer>`,
      ),
      { size: 65_536 },
    );
    expect(offers[0]!.description).toHaveLength(defaultReadLimits.textCharsMax);
  });
  test('[P4] entities of HTML are taken as what they mean, with one warning', async () => {
    const { offers, warnings } = await read(feed(offer.replace('T', 'a&nbsp;b &mdash; c &amp;')));
    expect(offers[0]!.title).toBe('a\u00a0b — c &');
    expect(warnings).toHaveLength(1);
  });
  test('[P4] a DOCTYPE is accepted and not read', async () => {
    const { offers, fatal } = await read(`<!DOCTYPE feed SYSTEM "http://127.0.0.1/x.dtd">${feed(offer)}`);
    expect([offers.length, fatal]).toEqual([1, undefined]);
  });
  const cyrillic = feed(offer.replace('T', 'Ёлка'));
  const windows1251 = Buffer.from(
    [...`<?xml version="1.0" encoding="windows-1251"?>${cyrillic}`].map((letter) => {
      const code = letter.codePointAt(0)!;
      if (letter === 'Ё') return 0xa8;
      return code >= 0x410 && code <= 0x44f ? code - 0x410 + 0xc0 : code;
    }),
  );
  test.each([
    ['UTF-8', Buffer.from(cyrillic)],
    ['UTF-8 with a mark', Buffer.from(`\uFEFF${cyrillic}`)],
    ['UTF-16', Buffer.from(`\uFEFF${cyrillic}`, 'utf16le')],
    ['UTF-16 without a mark', Buffer.from(cyrillic, 'utf16le')],
    ['windows-1251', windows1251],
    ['gzip', gzipSync(cyrillic)],
    ['mixed line ends', Buffer.from(cyrillic.replace('\n', '\r\n'))],
  ])('[P11] %s is read', async (_name, file) => {
    const { offers, fatal } = await read(file, { size: 64 });
    expect([offers[0]?.title, fatal]).toEqual(['Ёлка', undefined]);
  });
});

describe('our JSON', () => {
  const json = (offers: unknown[], profile: object = { contacts: { phone: '+7 900' } }) =>
    JSON.stringify({ profile, offers });
  test('[P8] offers of a crawler get the contacts of the profile, and a hash if they have no id', async () => {
    const { offers, fatal } = await read(
      json([{ id: 5, title: 'A "b" {', attributes: { color: ['red', 1] } }, { title: 'B' }]),
    );
    expect(fatal).toBeUndefined();
    expect(offers[0]).toMatchObject({
      id: '5',
      title: 'A "b" {',
      phone: '+7 900',
      attributes: [{ name: 'color', values: ['red', '1'] }],
    });
    expect(offers[1]!.id).toMatch(/^[0-9a-f]{32}$/);
    expect((await read(json([{ title: 'B' }]))).offers[0]!.id).toBe(offers[1]!.id);
  });
  test.each([
    ['no list of offers', '{"a": 1}', 'json'],
    ['an offer that is no object', '{"offers": [1]}', 'json'],
    ['something behind the end', '{"offers": []} {}', 'json'],
    ['broken JSON', '{"offers": [{"a": }]}', 'json'],
    ['a file that is cut off', '{"offers": [{"a": 1}', 'json'],
  ])('[P8] %s is one fatal error', async (_name, file, code) => {
    expect((await read(file)).fatal?.code).toBe(code);
  });
  test('[P11] a feed that is set to a format refuses another', async () => {
    expect((await read(json([]), { format: 'doska-xml' })).fatal?.code).toBe('format');
  });
});
