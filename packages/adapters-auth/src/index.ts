export { hmacSigner } from './hmac-signer.ts';
export { newSecret, tokenKeys, type TokenKeyConfig, type TokenKeys } from './token-keys.ts';
export { tokenAuthenticator, tokenIssuer, type IssueToken, type TokenOptions } from './tokens.ts';
