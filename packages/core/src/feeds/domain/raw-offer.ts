/** A mistake in the file, in the seller's own words of place. */
export type RawProblem = {
  readonly code: string;
  readonly path: string;
  readonly message: string;
  readonly value?: string | undefined;
  readonly line: number;
  readonly level?: 'error' | 'warning';
};
export type RawAttribute = {
  readonly name: string;
  readonly values: readonly string[];
  readonly path: string;
};

/** An offer as its file has it: its texts, not interpreted yet. Every format is mapped to this. */
export type RawOffer = {
  /** Its place in the file, from 0. */
  readonly ordinal: number;
  readonly line: number;
  /** Undefined: it has no readable id and can't be sent. */
  readonly id: string | undefined;
  readonly title: string | undefined;
  readonly description: string | undefined;
  readonly category: string | undefined;
  readonly price: string | undefined;
  readonly currency: string | undefined;
  readonly photos: readonly string[];
  readonly address: string | undefined;
  readonly latitude: string | undefined;
  readonly longitude: string | undefined;
  readonly contactName: string | undefined;
  readonly phone: string | undefined;
  readonly email: string | undefined;
  readonly attributes: readonly RawAttribute[];
  readonly problems: readonly RawProblem[];
};
export const emptyRawOffer: Omit<RawOffer, 'ordinal' | 'line'> = {
  id: undefined,
  title: undefined,
  description: undefined,
  category: undefined,
  price: undefined,
  currency: undefined,
  photos: [],
  address: undefined,
  latitude: undefined,
  longitude: undefined,
  contactName: undefined,
  phone: undefined,
  email: undefined,
  attributes: [],
  problems: [],
};
