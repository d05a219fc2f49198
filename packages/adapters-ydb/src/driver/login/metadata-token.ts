import type { FreshToken } from './token-source.ts';

export const METADATA_URL =
  'http://169.254.169.254/computeMetadata/v1/instance/service-accounts/default/token';
const WAIT_MS = 5_000;

const isAnswer = (
  value: unknown,
): value is { readonly access_token: string; readonly expires_in: number } => {
  if (typeof value !== 'object' || value === null) return false;
  const { access_token, expires_in } = value as Record<string, unknown>;
  return typeof access_token === 'string' && access_token !== '' && typeof expires_in === 'number';
};
/** The token of the service account of the cloud machine. */
export const metadataToken = async (url: string): Promise<FreshToken> => {
  const answer = await fetch(url, {
    headers: { 'Metadata-Flavor': 'Google' },
    signal: AbortSignal.timeout(WAIT_MS),
  });
  if (!answer.ok) throw new Error(`${url} answers ${answer.status}`);
  const body: unknown = await answer.json();
  if (!isAnswer(body)) throw new Error(`${url} answers without access_token and expires_in`);
  const validMs = body.expires_in * 1_000;
  return { token: body.access_token, validMs, refreshMs: validMs / 2 };
};
