import { runMain, type RunningHost } from '@doska/app-composition';
import { contexts } from '@doska/app-wiring';
import { apps } from './apps.ts';

/** `main.js` runs everything, `main.js NAME` one app alone. */
const args = process.argv.slice(2);
const name = args.find((arg) => !arg.startsWith('-'));

const welcome = ({ run }: RunningHost): readonly string[] => [
  '',
  `Doska is ready.  HTTP ${run.httpUrl}   gRPC ${run.grpcAddress}`,
  ...(run.token === undefined
    ? []
    : ['A development token is in run.json of the data directory; the command line reads it.']),
  'Try:  npm run doska -- status',
  'Stop: Ctrl-C',
  '',
];

const selected = name === undefined ? apps : apps.filter((app) => app.name === name);
if (selected.length === 0) {
  process.stderr.write(
    `doska: there is no app ${name ?? ''}; there are: ${apps.map((app) => app.name).join(', ')}\n`,
  );
  process.exit(64);
}
process.exit(
  await runMain({
    name: name ?? 'doska',
    apps: selected,
    isWhole: name === undefined,
    contexts,
    args: args.filter((arg) => arg !== name),
    welcome,
  }),
);
