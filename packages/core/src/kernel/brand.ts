declare const brand: unique symbol;

/** A `T` that went through the one place allowed to make it: a seller id can't be passed where an offer id is meant. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
