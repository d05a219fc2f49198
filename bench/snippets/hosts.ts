import { randomBytes } from 'node:crypto';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig, startHost, Tokens, type RunningHost } from '@doska/app-composition';
import { snippets } from '@doska/app-snippets';
import { contexts } from '@doska/app-wiring';

export const TOPIC = 'bench-snippets';
const SECRET = 'only-for-benchmarks-and-long-enough';
const CONFIG = `Body {
  Service: "snippets" Output: json InputSameAsOutput: true
  Section { Name: "plain" }
  Section { Name: "checked" Body { InputJsonSchema: "item" } }
  Section { Name: "topic" Body { InputTopic: "${TOPIC}" InputForLB: json KeyExtractor: "json_id" InputJsonSchema: "item" } }
}`;
export const KPS = { plain: 1, checked: 2, topic: 3 } as const;
const SCHEMA = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    stars: { type: 'integer', minimum: 0, maximum: 5 },
    text: { type: 'string' },
  },
  required: ['stars', 'text'],
  additionalProperties: false,
};
/** About a kilobyte. */
export const contentOf = (id: string): string =>
  JSON.stringify({ id, stars: 4, text: randomBytes(360).toString('hex').padEnd(960, 'x') });

export type BenchHosts = {
  readonly folder: string;
  readonly start: () => Promise<RunningHost>;
  readonly tokenOf: (host: RunningHost) => Promise<string>;
  readonly remove: () => void;
};
/** Snippet apps as they run alone, on one database. */
export const benchHosts = (databaseUrl: string): BenchHosts => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-bench-snippets-'));
  mkdirSync(join(folder, 'schemas'));
  writeFileSync(join(folder, 'config.pb.txt'), CONFIG);
  writeFileSync(
    join(folder, 'key_prefixes.txt'),
    Object.entries(KPS)
      .map(([name, kps]) => `${kps} ${name}\n`)
      .join(''),
  );
  writeFileSync(join(folder, 'schemas/item.json'), JSON.stringify(SCHEMA));
  const { config } = loadConfig(
    {
      DOSKA_PROFILE: 'postgres',
      DATABASE_URL: databaseUrl,
      DOSKA_TOKEN_KEY: SECRET,
      DOSKA_SIGNING_SECRET: SECRET,
      DOSKA_DATA_DIR: folder,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
      DOSKA_PARTITIONS: '1',
      DOSKA_SNIPPETS_CONFIG: join(folder, 'config.pb.txt'),
      DOSKA_SNIPPETS_RELOAD_MS: '0',
      DOSKA_SNIPPETS_RATE_PER_MINUTE: '10000000',
    },
    contexts,
  )._unsafeUnwrap();
  return {
    folder,
    start: async () => (await startHost('snippets', [snippets], config))._unsafeUnwrap(),
    tokenOf: async (host) => {
      const roles = [{ name: 'operator' }] as const;
      const token = await host.container.get(Tokens.issueToken)({ subject: 'bench', roles, ttlSec: 86_400 });
      return token._unsafeUnwrap();
    },
    remove: () => rmSync(folder, { recursive: true, force: true }),
  };
};
