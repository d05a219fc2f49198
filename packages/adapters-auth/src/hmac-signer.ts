import { createHmac, timingSafeEqual } from 'node:crypto';
import type { Signer } from '@doska/core/kernel';

/** The secret of the signer is derived: a signature is never also a valid token if an operator gave both one secret. */
const keyOf = (secret: string): Buffer => createHmac('sha256', secret).update('doska.signer.v1').digest();

/** HMAC-SHA-256. What the previous secret sealed stays valid until that secret is taken out of the configuration. */
export const hmacSigner = (current: string, previous?: string): Signer => {
  const currentKey = keyOf(current);
  const keys = previous === undefined ? [currentKey] : [currentKey, keyOf(previous)];
  const seal = (key: Buffer, text: string): Buffer => createHmac('sha256', key).update(text, 'utf8').digest();
  return {
    sign: (text) => seal(currentKey, text).toString('base64url'),
    verify: (text, signature) => {
      const given = Buffer.from(signature, 'base64url');
      // Base64 has several spellings of one value: a signature has one.
      if (given.length !== 32 || given.toString('base64url') !== signature) return false;
      return keys.map((key) => timingSafeEqual(seal(key, text), given)).includes(true);
    },
  };
};
