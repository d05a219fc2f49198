import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { CatalogTokens } from '@doska/app-wiring/catalog';
import { parseRole } from '@doska/core/kernel';
import { eventually } from '@doska/core/kernel/testing';
import { apps } from '../apps.ts';

export type RunningPlatform = {
  readonly host: RunningHost;
  readonly url: string;
  /** A token of a role, such as `seller:ann`. Empty for no role. */
  tokenOf(role: string): Promise<string>;
  stop(): Promise<void>;
};

type Database = { readonly url: string; drop(): Promise<void> };

/** All apps on a database of their own, with the demo catalogue loaded. */
export const runningPlatform = async (
  name: string,
  database: Database,
  settings: Readonly<Record<string, string>> = {},
): Promise<RunningPlatform> => {
  const dataDir = mkdtempSync(join(tmpdir(), `doska-${name}-`));
  const env = {
    DOSKA_PROFILE: 'embedded',
    DATABASE_URL: database.url,
    DOSKA_DATA_DIR: dataDir,
    DOSKA_HTTP_PORT: '0',
    DOSKA_GRPC_PORT: '0',
    DOSKA_LOG_LEVEL: 'error',
    DOSKA_VASGEN_PROMOTION_WAIT_MS: '0',
    ...settings,
  };
  const { config } = loadConfig(env, contexts)._unsafeUnwrap();
  const host = (await startHost(name, apps, config))._unsafeUnwrap();
  await eventually(() => host.container.get(CatalogTokens.cache).copy()._unsafeUnwrap());
  const tokens = new Map<string, Promise<string>>();
  const issue = async (role: string): Promise<string> =>
    (
      await host.container.get(Tokens.issueToken)({
        subject: role === '' ? 'stranger' : role,
        ttlSec: 3_600,
        roles: role === '' ? [] : [parseRole(role)._unsafeUnwrap()],
      })
    )._unsafeUnwrap();
  return {
    host,
    url: host.run.httpUrl,
    tokenOf: (role) => {
      const known = tokens.get(role) ?? issue(role);
      tokens.set(role, known);
      return known;
    },
    stop: async () => {
      await host.stop();
      await database.drop();
      rmSync(dataDir, { recursive: true, force: true });
    },
  };
};
