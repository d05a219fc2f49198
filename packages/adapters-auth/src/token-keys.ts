import { createPrivateKey, createPublicKey, createSecretKey, randomBytes, type KeyObject } from 'node:crypto';
import { invalidInput, type InvalidInput } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';

/** As an operator writes it. An EdDSA key without its private half verifies and can't issue. */
export type TokenKeyConfig =
  | { readonly kid: string; readonly alg: 'HS256'; readonly secret: string }
  | { readonly kid: string; readonly alg: 'EdDSA'; readonly publicKey: string; readonly privateKey?: string };

export type TokenKey = {
  readonly kid: string;
  readonly alg: 'HS256' | 'EdDSA';
  readonly verify: KeyObject;
  readonly sign?: KeyObject;
};
/** Tokens are issued with the current key and accepted from both. */
export type TokenKeys = { readonly current: TokenKey; readonly previous?: TokenKey };

/** RFC 7518: an HS256 secret shorter than the hash is weaker than it looks. */
const SECRET_BYTES_MIN = 32;

/** A secret good for a key or a signer. */
export const newSecret = (): string => randomBytes(32).toString('base64url');

const wrong = (path: string, message: string): InvalidInput =>
  invalidInput({ path, code: 'InvalidKey', message });

const parse = (path: string, key: TokenKeyConfig): Result<TokenKey, InvalidInput> => {
  if (key.kid === '') return err(wrong(`${path}.kid`, 'a key needs a name'));
  if (key.alg === 'HS256') {
    const bytes = Buffer.from(key.secret, 'utf8');
    if (bytes.length < SECRET_BYTES_MIN)
      return err(wrong(`${path}.secret`, `at least ${SECRET_BYTES_MIN} bytes`));
    const secret = createSecretKey(bytes);
    return ok({ kid: key.kid, alg: 'HS256', verify: secret, sign: secret });
  }
  const read = Result.fromThrowable(
    (): TokenKey => ({
      kid: key.kid,
      alg: 'EdDSA',
      verify: createPublicKey(key.publicKey),
      ...(key.privateKey === undefined ? {} : { sign: createPrivateKey(key.privateKey) }),
    }),
    // The message of the parser may quote the key.
    () => wrong(path, 'not a PEM key'),
  )();
  return read.andThen((parsed) =>
    [parsed.verify, parsed.sign].every((half) => half === undefined || half.asymmetricKeyType === 'ed25519')
      ? ok(parsed)
      : err(wrong(path, 'not an Ed25519 key')),
  );
};

/** Reads the configured keys; what is wrong is named by its path, never by its value. */
export const tokenKeys = (config: {
  readonly current: TokenKeyConfig;
  readonly previous?: TokenKeyConfig;
}): Result<TokenKeys, InvalidInput> => {
  const { current, previous } = config;
  if (previous && previous.kid === current.kid)
    return err(wrong('previous.kid', 'the same name as the current key'));
  return parse('current', current).andThen((now) =>
    previous === undefined
      ? ok({ current: now })
      : parse('previous', previous).map((before) => ({ current: now, previous: before })),
  );
};
