/** How far a pass over offers and documents is. Offers come first, then the documents of one epoch after the other. */
export type ReindexCursor =
  | { readonly pass: 'offers'; readonly cursor: string }
  | { readonly pass: 'documents'; readonly epoch: number; readonly cursor: string };

const TEXT = /^(?:offers\/([\s\S]{0,2000})|documents\/(\d{1,16})\/([\s\S]{0,2000}))$/;

export const formatCursor = (at: ReindexCursor): string =>
  at.pass === 'offers' ? `offers/${at.cursor}` : `documents/${at.epoch}/${at.cursor}`;
/** An empty text begins. Undefined: the text is no cursor. */
export const parseCursor = (text: string): ReindexCursor | undefined => {
  if (text === '') return { pass: 'offers', cursor: '' };
  const [found, offers, epoch, documents] = TEXT.exec(text) ?? [];
  if (found === undefined) return undefined;
  return offers === undefined
    ? { pass: 'documents', epoch: Number(epoch), cursor: documents! }
    : { pass: 'offers', cursor: offers };
};
