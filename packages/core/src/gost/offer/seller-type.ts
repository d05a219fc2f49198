export type SellerType = 'private' | 'company';
/** Offers of a feed are a company's, until sellers have profiles. */
export const sellerTypeOf = ({ source }: { readonly source?: unknown }): SellerType =>
  source === undefined ? 'private' : 'company';
