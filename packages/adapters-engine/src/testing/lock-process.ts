import { lockFolder } from '../engine/folder-lock.ts';

/** Takes a folder's lock, says whether it could, and holds it until it is killed or told to let go by a line. */
const [dir = ''] = process.argv.slice(2);
const locked = lockFolder(dir);
process.stdout.write(locked.isOk() ? 'held\n' : 'refused\n');
if (locked.isErr()) process.exit(0);
process.stdin.once('data', () => {
  locked.value.release();
  process.exit(0);
});
