import tseslint from 'typescript-eslint';

/** Time, chance and processes are ports: the whole core runs inside a simulation. */
const realWorld = [
  'process',
  'Buffer',
  'setTimeout',
  'setInterval',
  'setImmediate',
  'fetch',
  'performance',
  'console',
].map((name) => ({
  name,
  message: 'core is pure: take it through a port',
}));

/** A spread literal switches off the check for excess properties, and is slow where every request passes. */
const spreadLiterals = [
  {
    selector: 'ObjectExpression > SpreadElement > ObjectExpression',
    message: 'write the properties out: a spread literal switches off excess-property checks',
  },
  {
    selector: 'SpreadElement > ArrayExpression',
    message: 'write the elements out instead of spreading a literal',
  },
  {
    selector: 'VariableDeclarator[id.type="ArrayPattern"][init.type="ArrayExpression"]',
    message: 'declare each variable by itself',
  },
];

export default tseslint.config(
  {
    ignores: [
      '**/dist/**',
      '**/generated/**',
      '**/node_modules/**',
      '.cache/**',
      'examples/*.ts', // needs types that are made from the running platform; a test compiles it
      'data/**',
      '**/*.mjs',
      '**/*.js',
      '**/*.cjs',
    ],
  },
  ...tseslint.configs.recommendedTypeChecked,
  {
    languageOptions: {
      parserOptions: { project: './tsconfig.check.json', tsconfigRootDir: import.meta.dirname },
    },
    rules: {
      '@typescript-eslint/consistent-type-imports': ['error', { fixStyle: 'inline-type-imports' }],
      '@typescript-eslint/switch-exhaustiveness-check': 'error',
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-unused-vars': [
        'error',
        { argsIgnorePattern: '^_', varsIgnorePattern: '^_', caughtErrorsIgnorePattern: '^_' },
      ],
      '@typescript-eslint/restrict-template-expressions': [
        'error',
        { allowNumber: true, allowBoolean: true },
      ],
      // Ports return promises; an adapter or a test double that needs no await keeps the port's shape.
      '@typescript-eslint/require-await': 'off',
      eqeqeq: 'error',
      'no-empty': 'error',
      'no-console': 'error',
      'no-restricted-syntax': ['error', ...spreadLiterals],
    },
  },
  {
    files: ['packages/core/src/**/*.ts'],
    ignores: ['**/testing/**', '**/testing.ts', '**/*.test.ts'],
    rules: {
      'no-restricted-globals': ['error', ...realWorld],
      'no-restricted-properties': [
        'error',
        { object: 'Date', property: 'now', message: 'take the Clock port' },
        { object: 'Math', property: 'random', message: 'take the Random port' },
        { object: 'crypto', property: 'randomUUID', message: 'take the Ids port' },
      ],
    },
  },
  {
    files: ['**/*.test.ts', '**/testing/**', 'bench/**', 'tests/**'],
    rules: {
      '@typescript-eslint/no-non-null-assertion': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/unbound-method': 'off',
      'no-console': 'off',
    },
  },
);
