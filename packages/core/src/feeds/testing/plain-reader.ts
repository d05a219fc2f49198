import { err, ok } from 'neverthrow';
import { emptyRawOffer, type RawOffer } from '../domain/raw-offer.ts';
import type { FeedReader } from '../ports/feed-reader.port.ts';

/**
 * Reads a format for tests, one offer a line: `id` or `id title` or `id title|address`. `-` is an offer without an id, `!` breaks the file.
 */
export const plainReader: FeedReader = {
  read: async function* (source) {
    const chunks = await source.read();
    if (chunks.isErr()) {
      yield err(chunks.error);
      return;
    }
    let text = '';
    for await (const chunk of chunks.value) text += new TextDecoder().decode(chunk);
    const lines = text.split('\n').filter((line) => line !== '');
    for (const [ordinal, line] of lines.entries()) {
      if (line === '!') {
        const fatal = { code: 'xml', message: `line ${ordinal + 1}: broken`, line: ordinal + 1, column: 1 };
        yield err({ kind: 'BrokenFile', fatal });
        return;
      }
      const [id = '', ...words] = line.split(' ');
      const [title = '', address] = words.join(' ').split('|');
      const offer: RawOffer = {
        ...emptyRawOffer,
        ordinal,
        line: ordinal + 1,
        id: id === '-' ? undefined : id,
        title: title === '' ? `Offer ${id}` : title,
        category: 'cars',
        phone: '+7 900 000-00-00',
        address,
        attributes: [{ name: 'make', values: ['lada'], path: 'offer/attributes/attribute' }],
      };
      yield ok({ offers: [offer], warnings: [], bytesRead: source.bytes });
    }
  },
};
