import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret } from '@doska/adapters-auth';
import { z } from 'zod';
import type { Config } from '../config/load.ts';
import type { Secrets } from '../modules/auth.module.ts';
import { writePrivately } from './private-file.ts';

const Saved = z.object({ tokenKey: z.string().min(32), signingSecret: z.string().min(32) });

/** Made once and kept in the data directory, so that tokens outlive a restart. */
const ownSecrets = (dataDir: string): Secrets => {
  const path = join(dataDir, 'secrets.json');
  try {
    return Saved.parse(JSON.parse(readFileSync(path, 'utf8')));
  } catch {
    const secrets: Secrets = { tokenKey: newSecret(), signingSecret: newSecret() };
    mkdirSync(dataDir, { recursive: true });
    writePrivately(path, JSON.stringify(secrets));
    return secrets;
  }
};

/** Outside of the embedded profile the configuration has both; its loader has seen to that. */
export const secretsOf = ({ profile, dataDir, tokenKey, signingSecret }: Config): Secrets => {
  if (tokenKey !== undefined && signingSecret !== undefined) return { tokenKey, signingSecret };
  if (profile !== 'embedded') throw new Error('only the embedded profile makes its own secrets');
  const own = ownSecrets(dataDir);
  return { tokenKey: tokenKey ?? own.tokenKey, signingSecret: signingSecret ?? own.signingSecret };
};
