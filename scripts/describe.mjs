// A part of the build, after the compiler: checks the routes of the contracts.
import { readFileSync } from 'node:fs';
import { dirname, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { routeProblems } from '@doska/adapters-http';
import { descriptorSet } from '@doska/adapters-proto/descriptors';

const root = resolve(dirname(fileURLToPath(import.meta.url)), '..');
const grpcOnly = JSON.parse(readFileSync(resolve(root, 'proto/grpc-only.json'), 'utf8'));
for (const problem of routeProblems(descriptorSet, grpcOnly)) {
  console.error(`routes: ${problem}`);
  process.exitCode = 1;
}
