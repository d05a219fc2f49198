/** Signs short texts with a secret key. */
export interface Signer {
  /** Signs `text` with the current key. */
  sign(text: string): string;
  /** True if the current or the previous key made `signature` over exactly this text. Compares in constant time. */
  verify(text: string, signature: string): boolean;
}
