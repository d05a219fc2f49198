import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { newSecret } from '@doska/adapters-auth';
import { err, ok, Result } from 'neverthrow';
import { z } from 'zod';
import type { Config } from '../config/config.ts';
import type { Secrets } from '../modules/auth.module.ts';
import { openDataDir } from './data-dir.ts';
import { createPrivately } from './owned-file.ts';
import { startProblem, type StartProblem } from './problem.ts';

const Saved = z.object({ tokenKey: z.string().min(32), signingSecret: z.string().min(32) });

const unusable = (path: string, why: string): StartProblem =>
  startProblem(
    `${path} can't be used: ${why}. Nothing was changed.`,
    'Restore it from a backup. Or remove it: new secrets are made then, and no token that was issued before is valid.',
  );

const parse = (path: string, text: string): Result<Secrets, StartProblem> =>
  Result.fromThrowable(
    (): unknown => JSON.parse(text),
    () => unusable(path, 'it is not JSON'),
  )().andThen((json) => {
    const saved = Saved.safeParse(json);
    if (saved.success) return ok(saved.data);
    const fields = [...new Set(saved.error.issues.map((issue) => issue.path.join('.') || 'everything'))];
    return err(unusable(path, `${fields.join(' and ')} is missing or shorter than 32 characters`));
  });

const read = (path: string): Result<Secrets | undefined, StartProblem> => {
  try {
    return parse(path, readFileSync(path, 'utf8'));
  } catch (cause) {
    const { code, message } = cause as NodeJS.ErrnoException;
    return code === 'ENOENT' ? ok(undefined) : err(unusable(path, message));
  }
};

/**
 * Generated once and stored in the data directory, so that tokens stay valid after a restart. A file that is there is
 * never replaced. If two processes make the file at once, both use the one that was first.
 */
const ownSecrets = (dataDir: string): Result<Secrets, StartProblem> => {
  const path = join(dataDir, 'secrets.json');
  return read(path).andThen((saved) => {
    if (saved !== undefined) return ok(saved);
    return openDataDir(dataDir).andThen(() => {
      const secrets: Secrets = { tokenKey: newSecret(), signingSecret: newSecret() };
      return createPrivately(path, JSON.stringify(secrets))
        ? ok(secrets)
        : read(path).andThen((first) =>
            first === undefined ? err(unusable(path, 'it was removed during the start')) : ok(first),
          );
    });
  });
};

/** `loadConfig` requires both secrets outside of the embedded profile. */
export const secretsOf = (config: Config): Result<Secrets, StartProblem> => {
  const { profile, dataDir, tokenKey, signingSecret } = config;
  if (tokenKey !== undefined && signingSecret !== undefined) return ok({ tokenKey, signingSecret });
  if (profile !== 'embedded') throw new Error('only the embedded profile makes its own secrets');
  return ownSecrets(dataDir).map((own) => ({
    tokenKey: tokenKey ?? own.tokenKey,
    signingSecret: signingSecret ?? own.signingSecret,
  }));
};
