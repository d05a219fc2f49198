#!/usr/bin/env node
/** npm start: every app in one process. Arguments and --help belong to the platform. */
import { launch } from './parts/launch.mjs';
import { command } from './parts/terminal.mjs';

await command(null, (args) => launch('packages/apps/platform/dist/main.js', args));
