// Starts a put, says so after the first part was taken, and never finishes: the test kills this process.
import { fileBlobStore } from '../file-blob-store.ts';

const [, , dir, area] = process.argv;
const clock = { nowMs: Date.now, after: () => () => {} };
async function* half() {
  yield new Uint8Array(1_000_000).fill(1);
  yield new Uint8Array(1_000_000).fill(2);
  process.stdout.write('half\n');
  await new Promise((resolve) => setTimeout(resolve, 60_000));
}
await fileBlobStore({ dir, clock }).put(area, half(), { bytesMax: 10_000_000 });
