declare const brand: unique symbol;

/** A `T` that only its own constructor function can make, so a seller id cannot be passed as an offer id. */
export type Brand<T, Name extends string> = T & { readonly [brand]: Name };
