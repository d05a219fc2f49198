import { runWide } from './engine/wide.ts';
import { numberOption } from './harness.ts';

const args = process.argv.slice(2);
/** The first measures the layout of many fields, the second this engine against others. */
if (args.includes('--wide')) await runWide(numberOption(args, '--docs', 200_000));
else await import('./engine/against-peers.ts');
