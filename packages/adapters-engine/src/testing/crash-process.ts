import { changeAt } from './crash-history.ts';
import { openedIn, sampleSpec } from './engine-probe.ts';

/** Replays its log from where its newest snapshot stands and takes snapshots without pause, until it is killed. */
const [dir = '', end = '0'] = process.argv.slice(2);
const { name } = sampleSpec;
const engine = await openedIn(dir, { segmentDocuments: 64 });
(await engine.create(sampleSpec))._unsafeUnwrap();
const [info] = (await engine.indexes())._unsafeUnwrap();
let offset = info?.positions[0]?.offset ?? 0;
process.stdout.write(`from ${offset}\n`);
const snapshots = (async () => {
  for (;;) (await engine.snapshot(name))._unsafeUnwrap();
})();
snapshots.catch((cause: unknown) => {
  process.stderr.write(String(cause));
  process.exit(1);
});
while (offset < Number(end)) {
  const changes = Array.from({ length: 3 }, (_, at) => changeAt(offset + at));
  offset += changes.length;
  const positions = [{ log: 'l', topic: 't', partition: 0, offset }];
  (await engine.apply(name, changes, { positions }))._unsafeUnwrap();
}
await new Promise(() => setInterval(() => undefined, 1000));
