#!/usr/bin/env node
/** npm run app -- NAME: one app alone, composed by the same modules as npm start. */
import { launch } from './parts/launch.mjs';
import { command, Stop } from './parts/terminal.mjs';

await command(null, (args) => {
  if (args.length === 0)
    throw new Stop('Usage: npm run app -- NAME (npm run app -- --help lists what there is)', 2);
  return launch('packages/apps/platform/dist/main.js', args);
});
