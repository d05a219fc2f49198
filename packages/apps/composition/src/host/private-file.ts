import { renameSync, rmSync, writeFileSync } from 'node:fs';

/** Whole or not at all, and for nobody's eyes but the owner's. */
export const writePrivately = (path: string, text: string): void => {
  const draft = `${path}.${process.pid}.tmp`;
  rmSync(draft, { force: true });
  writeFileSync(draft, text, { mode: 0o600, flag: 'wx' });
  renameSync(draft, path);
};
