/** The client of indexing whose documents are offers. */
export const OFFERS_CLIENT = 'offers';
