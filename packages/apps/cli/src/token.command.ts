import { authModule, secretsOf, Tokens } from '@doska/app-composition';
import { parseRole } from '@doska/core/kernel';
import { Container } from 'inversify';
import { err, Result } from 'neverthrow';
import { seconds } from './duration.ts';
import { EXIT, problem, type CommandResult } from './outcome.ts';
import { configured } from './platform.ts';

export type TokenOptions = {
  readonly subject: string;
  readonly role: readonly string[];
  readonly ttl: string;
};

/** Issues a token with the current key of this configuration. */
export const tokenCommand = async ({ subject, role, ttl }: TokenOptions): Promise<CommandResult> => {
  const roles = Result.combine(
    role.map((text) =>
      parseRole(text).mapErr(() =>
        problem(
          `--role ${text}: service, operator, seller:<id>, anonymous:<id> or publisher:<prefix>`,
          EXIT.usage,
        ),
      ),
    ),
  );
  if (roles.isErr()) return err(roles.error);
  const ttlSec = seconds(ttl);
  if (ttlSec === undefined) return err(problem(`--ttl ${ttl}: write 90s, 30m, 12h or 7d`, EXIT.usage));
  const configuration = configured();
  if (configuration.isErr()) return err(configuration.error);
  const config = configuration.value;
  const secrets = secretsOf(config);
  if (secrets.isErr()) return err(problem(secrets.error.lines.join('\n'), EXIT.config));
  const auth = authModule(config, secrets.value);
  if (auth.isErr())
    return err(
      problem(
        auth.error.violations.map(({ path, message }) => `${path}: ${message}`).join('\n'),
        EXIT.config,
      ),
    );
  const container = new Container();
  container.load(auth.value);
  const token = await container.get(Tokens.issueToken)({ subject, roles: roles.value, ttlSec });
  return token
    .map((text) => ({ value: { token: text }, text }))
    .mapErr(({ violations }) =>
      problem(violations.map(({ path, message }) => `${path}: ${message}`).join('\n'), EXIT.usage),
    );
};
