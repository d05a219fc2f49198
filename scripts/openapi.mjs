#!/usr/bin/env node
// `npm run openapi`: the OpenAPI document of all apps, on stdout.
// `npm run openapi -- --accept`: makes today's paths the ones that later changes must not break.
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { command, inRoot, say } from './parts/terminal.mjs';
import { prepare } from './prepare.mjs';

const HELP = `
npm run openapi              the OpenAPI document of all apps, on stdout
npm run openapi -- --accept  makes today's paths the ones that later changes must not break`;

/** Access and errors are known only to running services, so all apps are started for a moment. */
const documentOf = async () => {
  const { loadConfig, startHost } = await import('@doska/app-composition');
  const { contexts } = await import('@doska/app-wiring');
  const { apps } = await import('@doska/app-platform');
  const dataDir = mkdtempSync(join(tmpdir(), 'doska-openapi-'));
  try {
    const env = {
      DOSKA_PROFILE: 'embedded',
      DOSKA_DATA_DIR: dataDir,
      DOSKA_HTTP_PORT: '0',
      DOSKA_GRPC_PORT: '0',
      DOSKA_LOG_LEVEL: 'error',
    };
    const host = (
      await startHost('openapi', apps, loadConfig(env, contexts)._unsafeUnwrap().config)
    )._unsafeUnwrap();
    try {
      return await (await fetch(`${host.run.httpUrl}/openapi.json`)).json();
    } finally {
      await host.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
};

await command(HELP, async (args) => {
  await prepare();
  const document = await documentOf();
  if (!args.includes('--accept')) {
    console.log(JSON.stringify(document, undefined, 2));
    return 0;
  }
  const { operationShapes } = await import('@doska/adapters-http');
  const shapes = operationShapes(document);
  writeFileSync(inRoot('proto/openapi.base.json'), `${JSON.stringify(shapes, undefined, 2)}\n`);
  say(`${Object.keys(shapes).length} operations accepted in proto/openapi.base.json.`);
  return 0;
});
