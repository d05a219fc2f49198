/**
 * How far a pass over offers and documents is. Offers come first, then the documents of one epoch after the other, and at last a
 * building epoch is compared with the serving one, round by round.
 */
export type ReindexCursor =
  | { readonly pass: 'offers'; readonly cursor: string }
  | { readonly pass: 'documents'; readonly epoch: number; readonly cursor: string }
  | CompareCursor;
/** `side`: whose documents are looked at. `clean`: rounds without a difference, up to now without a break. */
export type CompareCursor = {
  readonly pass: 'compare';
  readonly epoch: number;
  readonly serving: number;
  readonly round: number;
  readonly clean: number;
  readonly differences: number;
  /** The round begins no sooner. */
  readonly fromMs: number;
  readonly side: 'serving' | 'building';
  readonly cursor: string;
};

const OFFERS = /^offers\/([\s\S]{0,2000})$/;
const DOCUMENTS = /^documents\/(\d{1,16})\/([\s\S]{0,2000})$/;
const COMPARE = /^compare\/((?:\d{1,15}\/){6})(serving|building)\/([\s\S]{0,2000})$/;

export const formatCursor = (at: ReindexCursor): string => {
  switch (at.pass) {
    case 'offers':
      return `offers/${at.cursor}`;
    case 'documents':
      return `documents/${at.epoch}/${at.cursor}`;
    case 'compare': {
      const { epoch, serving, round, clean, differences, fromMs, side, cursor } = at;
      return `compare/${[epoch, serving, round, clean, differences, fromMs].join('/')}/${side}/${cursor}`;
    }
  }
};
/** An empty text begins. Undefined: the text is no cursor. */
export const parseCursor = (text: string): ReindexCursor | undefined => {
  if (text === '') return { pass: 'offers', cursor: '' };
  const [, offers] = OFFERS.exec(text) ?? [];
  if (offers !== undefined) return { pass: 'offers', cursor: offers };
  const [, documentsOf, documents] = DOCUMENTS.exec(text) ?? [];
  if (documents !== undefined) return { pass: 'documents', epoch: Number(documentsOf), cursor: documents };
  const [, numbers, side, cursor] = COMPARE.exec(text) ?? [];
  if (numbers === undefined || cursor === undefined) return undefined;
  const [epoch, serving, round, clean, differences, fromMs] = numbers.split('/').map(Number);
  return {
    pass: 'compare',
    epoch: epoch!,
    serving: serving!,
    round: round!,
    clean: clean!,
    differences: differences!,
    fromMs: fromMs!,
    side: side as CompareCursor['side'],
    cursor,
  };
};
