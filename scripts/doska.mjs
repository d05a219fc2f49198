#!/usr/bin/env node
/** npm run doska -- …: the command line. Arguments and --help are its own. */
import { launch } from './parts/launch.mjs';
import { command } from './parts/terminal.mjs';

await command(null, (args) => launch('packages/apps/cli/dist/main.js', args));
