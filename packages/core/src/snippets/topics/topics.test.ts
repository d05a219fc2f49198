import { expect, test } from 'vitest';
import { unavailable } from '../../kernel/index.ts';
import { RETRY_TOPIC } from '../config/check-names.ts';
import type { SnippetParts } from '../content/snippet-parts.ts';
import { storeAway, topicWorld, type TopicWorld } from '../testing/topic-world.ts';

const TOPIC = 'in';
const config = (more = '', children = ''): string =>
  `Body { Service: "snippets" Output: json InputSameAsOutput: true ChildrenOnly: true
    Section { Name: "leaf" Body { InputTopic: "${TOPIC}" InputForLB: json KeyExtractor: "json_id" UploadOverLBRetryCount: 2 ${more} ${children} } } }`;
const json = (value: unknown, headers: Record<string, string> = {}) => ({
  value: Buffer.from(JSON.stringify(value)),
  headers,
});
const main = (world: TopicWorld) => world.pump(TOPIC, world.topics.workers.consumeTopic('leaf'));
const retry = (world: TopicWorld) => world.pump(RETRY_TOPIC, world.topics.workers.consumeRetries);
const put = (world: TopicWorld, key: string, body: unknown) =>
  world.snippets.useCases
    .put({
      name: 'leaf',
      key,
      language: '',
      type: { format: 'json' },
      bytes: Buffer.from(JSON.stringify(body)),
    })
    .map(({ version }) => version);

test('[F8] a record of the topic becomes a snippet under the key that the extractor finds', async () => {
  const world = await topicWorld(config());
  await world.publish(TOPIC, json({ id: 'k1', a: 1 }), json({ id: 7, a: 2 }));
  expect(await main(world)).toEqual({ kind: 'done' });
  expect(await world.get('leaf', 'k1')).toBe('{"id":"k1","a":1}');
  expect(await world.get('leaf', '7')).toBe('{"id":7,"a":2}');
});
test('[F8] the extractor may give a language', async () => {
  const world = await topicWorld(config());
  await world.publish(TOPIC, json({ id: 'k', language: 'RU' }));
  await main(world);
  const query = { name: 'leaf', key: 'k', language: 'ru' };
  expect((await world.snippets.useCases.get(query)).isOk()).toBe(true);
  expect(await world.get('leaf', 'k')).toBeUndefined();
});
test('[F8] a group reads a topic and writes all of its sections in one version', async () => {
  const world = await topicWorld(
    config('Recursive: ["a", "b"]', 'Section { Name: "a" } Section { Name: "b" }'),
  );
  await world.publish(TOPIC, json({ id: 'k' }));
  await main(world);
  const found = await world.snippets.useCases.get({ name: 'leaf', key: 'k', language: '' });
  const versions = found._unsafeUnwrap().map(({ name, version }) => [name, version.sequence]);
  expect(versions).toEqual([
    ['leaf/a', 0],
    ['leaf/b', 0],
  ]);
});
test('[F8] a record with the header snippet-operation: delete deletes its snippet', async () => {
  const world = await topicWorld(config());
  await world.publish(TOPIC, json({ id: 'k' }), json({ id: 'k' }, { 'snippet-operation': 'delete' }));
  await main(world);
  expect(await world.get('leaf', 'k')).toBeUndefined();
  await world.publish(TOPIC, json({ id: 'k' }, { 'snippet-operation': 'paint' }));
  await main(world);
  expect((await world.letters(TOPIC))[0]!.reason).toContain('"paint"');
});

const refusing: SnippetParts = {
  validators: {
    no_red: {
      make:
        () =>
        ({ json: value }) =>
          (value as { colour?: string }).colour === 'red'
            ? [{ path: '/colour', code: 'Red', message: 'red is not allowed' }]
            : [],
    },
  },
};
test('[F8] an invalid record becomes a dead letter with its reason at once, and the others go on', async () => {
  const world = await topicWorld(config('SpecialValidator: "no_red"'), refusing);
  await world.publish(
    TOPIC,
    json({ id: 'a', colour: 'red' }),
    { value: Buffer.from('{broken'), headers: {} },
    json({ no: 'id' }),
    json({ id: 'x'.repeat(600) }),
    json({ id: 'ok' }),
  );
  expect(await main(world)).toEqual({ kind: 'done' });
  const letters = await world.letters(TOPIC);
  expect(letters.map(({ position }) => position.offset)).toEqual([0, 1, 2, 3]);
  expect(letters[0]!.reason).toBe('/colour: red is not allowed');
  expect(letters[2]!.reason).toContain('"id"');
  expect(letters[3]!.reason).toContain('at most 512 bytes');
  expect([await world.get('leaf', 'ok'), await world.retries()]).toEqual(['{"id":"ok"}', 0]);
});

/** Fails until it is repaired. */
const flaky = () => {
  const state = { isBroken: true };
  const parts: SnippetParts = {
    validators: {
      flaky: {
        make: () => () => {
          if (state.isBroken) throw new Error('a dictionary is missing');
          return [];
        },
      },
    },
  };
  return { state, parts };
};
test('[F8] a record that fails is tried again so many times as the section says, with the pause between, then it is dead', async () => {
  const { parts } = flaky();
  const world = await topicWorld(config('SpecialValidator: "flaky"'), parts);
  await world.publish(TOPIC, json({ id: 'k' }));
  expect(await main(world)).toEqual({ kind: 'done' });
  expect([await world.retries(), await world.letters(TOPIC)]).toEqual([1, []]);
  expect(await retry(world)).toMatchObject({ kind: 'blocked', retryAtMs: world.nowMs() + 1_000 });
  await world.advance(999);
  expect(await retry(world)).toMatchObject({ kind: 'blocked', handled: 0 });
  await world.advance(1);
  expect(await retry(world)).toEqual({ kind: 'done' });
  expect([await world.retries(), await world.letters(TOPIC)]).toEqual([1, []]);
  await world.advance(1_000);
  expect(await retry(world)).toEqual({ kind: 'done' });
  const [letter] = await world.letters(TOPIC);
  expect([await world.retries(), letter!.attempts]).toEqual([0, 3]);
  expect(letter!.reason).toMatch(/^gave up: /);
});
test('[F8] without UploadOverLBRetryCount a record that fails is dead at once', async () => {
  const { parts } = flaky();
  const world = await topicWorld(
    config('SpecialValidator: "flaky"').replace('RetryCount: 2', 'RetryCount: 0'),
    parts,
  );
  await world.publish(TOPIC, json({ id: 'k' }));
  await main(world);
  expect([await world.retries(), (await world.letters(TOPIC)).length]).toEqual([0, 1]);
});
test('[F8] a late retry does not replace a newer PUT, and does not bring back a DELETE or an expired snippet', async () => {
  const { state, parts } = flaky();
  const world = await topicWorld(config('SpecialValidator: "flaky" TtlMinutes: 1'), parts);
  const keys = ['put', 'deleted', 'expired'];
  await world.publish(TOPIC, ...keys.map((id) => json({ id, from: 'topic' })));
  await main(world);
  state.isBroken = false;
  await world.advance(10);
  await put(world, 'put', 'newer');
  await put(world, 'expired', 'newer');
  await put(world, 'deleted', 'newer');
  await world.snippets.useCases.remove({ name: 'leaf', key: 'deleted', language: '' });
  await world.advance(59_000);
  await put(world, 'put', 'newest');
  await world.advance(1_000);
  expect(await retry(world)).toEqual({ kind: 'done' });
  expect(await Promise.all(keys.map((key) => world.get('leaf', key)))).toEqual([
    '"newest"',
    undefined,
    undefined,
  ]);
});
test('[F8] an old record whose row is gone is dead: a newer tombstone may be purged already', async () => {
  const { state, parts } = flaky();
  const world = await topicWorld(config('SpecialValidator: "flaky"'), parts);
  await world.publish(TOPIC, json({ id: 'k' }));
  await main(world);
  state.isBroken = false;
  await world.advance(31 * 86_400_000);
  await retry(world);
  expect((await world.letters(TOPIC))[0]!.reason).toMatch(/^too old/);
});
test('[F8] while the store is away records wait in the retry flow, the main flow pauses, and no attempt is used up', async () => {
  const world = await topicWorld(config());
  world.fail(storeAway);
  for (let i = 0; i < 8; i++) await world.publish(TOPIC, json({ id: `k${i}` }));
  expect(await main(world)).toEqual({ kind: 'done' });
  await world.publish(TOPIC, json({ id: 'later' }));
  expect(await main(world)).toMatchObject({
    kind: 'blocked',
    handled: 0,
    reason: expect.stringContaining('retry flow'),
  });
  for (let i = 0; i < 20; i++) {
    await world.advance(1_000);
    expect(await retry(world)).toMatchObject({ kind: 'blocked', handled: 0 });
  }
  expect([await world.retries(), await world.letters(TOPIC)]).toEqual([8, []]);
  world.fail(undefined);
  await world.advance(1_000);
  expect(await retry(world)).toEqual({ kind: 'done' });
  await world.advance(1_000);
  expect(await main(world)).toEqual({ kind: 'done' });
  expect([await world.get('leaf', 'k7'), await world.get('leaf', 'later')]).toEqual([
    '{"id":"k7"}',
    '{"id":"later"}',
  ]);
});
test('[F8] a record that the store can not take does not take others with it', async () => {
  const world = await topicWorld(config());
  world.fail(unavailable('a row is broken', undefined, false));
  await world.publish(TOPIC, json({ id: 'a' }), json({ id: 'b' }));
  await main(world);
  expect(await world.retries()).toBe(2);
  world.fail(undefined);
  await world.advance(1_000);
  await retry(world);
  expect([await world.get('leaf', 'a'), await world.get('leaf', 'b')]).toEqual(['{"id":"a"}', '{"id":"b"}']);
});
test('[F8] two records of one key in one millisecond: the later offset stands, also if it comes first', async () => {
  const { state, parts } = flaky();
  const world = await topicWorld(config('SpecialValidator: "flaky"'), parts);
  await world.publish(TOPIC, json({ id: 'k', n: 1 }));
  await main(world);
  state.isBroken = false;
  await world.publish(TOPIC, json({ id: 'k', n: 2 }));
  await main(world);
  await world.advance(1_000);
  await retry(world);
  expect(await world.get('leaf', 'k')).toBe('{"id":"k","n":2}');
});
test('[F8] redrive sends dead letters through the retry flow with their old versions', async () => {
  const { state, parts } = flaky();
  const world = await topicWorld(
    config('SpecialValidator: "flaky"').replace('RetryCount: 2', 'RetryCount: 0'),
    parts,
  );
  await world.publish(TOPIC, json({ id: 'lost' }), json({ id: 'newer' }));
  await main(world);
  state.isBroken = false;
  await world.advance(5);
  await put(world, 'newer', 'put');
  const { redrive } = world.topics.useCases;
  expect((await redrive({ topic: TOPIC, section: 'other' }))._unsafeUnwrap()).toEqual({
    sent: 0,
    skipped: 2,
  });
  expect((await redrive({ topic: TOPIC }))._unsafeUnwrap()).toEqual({ sent: 2, skipped: 0 });
  expect(await retry(world)).toEqual({ kind: 'done' });
  expect([await world.get('leaf', 'lost'), await world.get('leaf', 'newer')]).toEqual([
    '{"id":"lost"}',
    '"put"',
  ]);
  expect((await redrive({ topic: 'nope' }))._unsafeUnwrapErr().kind).toBe('UnknownTopic');
});
test('[F8] bytes in the retry topic that are no retry are put aside', async () => {
  const world = await topicWorld(config());
  await world.publish(RETRY_TOPIC, { value: Buffer.from('nonsense') });
  expect(await retry(world)).toEqual({ kind: 'done' });
  expect(await world.letters(RETRY_TOPIC)).toHaveLength(1);
});

const HOUR_MS = 3_600_000;
test('[F9] two publishers whose clocks are an hour apart write one key: the record that the log took last stands', async () => {
  const world = await topicWorld(config());
  const ahead = world.publisher(HOUR_MS);
  const behind = world.publisher(-HOUR_MS);
  const publish = async (log: typeof ahead, n: number) => {
    const record = { topic: TOPIC, key: 'k', ...json({ id: 'k', n }) };
    (await log.publish([record]))._unsafeUnwrap();
    await world.advance(1_000);
    await main(world);
    expect(await world.get('leaf', 'k')).toBe(`{"id":"k","n":${n}}`);
  };
  for (const [n, log] of [ahead, behind, ahead, behind].entries()) await publish(log, n);
});
test('[F9] a topic that was created again begins at offset 0, and its records still replace what is older', async () => {
  const world = await topicWorld(config());
  await world.publish(TOPIC, ...[1, 2, 3].map((n) => json({ id: 'k', n })));
  await main(world);
  await put(world, 'other', 'put');
  await world.advance(1_000);
  world.recreate(TOPIC);
  await world.publish(TOPIC, json({ id: 'k', n: 4 }), json({ id: 'other', n: 5 }));
  await main(world);
  expect([await world.get('leaf', 'k'), await world.get('leaf', 'other')]).toEqual([
    '{"id":"k","n":4}',
    '{"id":"other","n":5}',
  ]);
});
test('[F9] a record of a topic that is gone does not replace a record of the topic that was created after it', async () => {
  const { state, parts } = flaky();
  const world = await topicWorld(config('SpecialValidator: "flaky"'), parts);
  await world.publish(TOPIC, ...[0, 1, 2].map((n) => json({ id: 'k', n })));
  await main(world);
  state.isBroken = false;
  await world.advance(1);
  world.recreate(TOPIC);
  await world.publish(TOPIC, json({ id: 'k', n: 'new' }));
  await main(world);
  await world.advance(1_000);
  expect(await retry(world)).toEqual({ kind: 'done' });
  expect(await world.get('leaf', 'k')).toBe('{"id":"k","n":"new"}');
});
test('[F8] a retry flow that is behind does not delay the main flow', async () => {
  const { state, parts } = flaky();
  const world = await topicWorld(config('SpecialValidator: "flaky"'), parts);
  await world.publish(TOPIC, ...[0, 1, 2, 3, 4].map((n) => json({ id: `waits-${n}` })));
  await main(world);
  state.isBroken = false;
  await world.publish(TOPIC, ...[0, 1, 2].map((n) => json({ id: `goes-${n}` })));
  expect(await main(world)).toEqual({ kind: 'done' });
  expect([await world.get('leaf', 'goes-2'), await world.get('leaf', 'waits-0')]).toEqual([
    '{"id":"goes-2"}',
    undefined,
  ]);
  expect(await world.retries()).toBe(5);
});
test.each([
  ['ahead of', 5_000, '{"id":"k","n":1}'],
  ['behind', -5_000, '"put"'],
])(
  '[F9] the clock of the log is 5 s %s that of the store: a record follows a PUT within that time, and the difference is a gauge',
  async (_name, logAheadMs, winner) => {
    const world = await topicWorld(config(), {}, { logAheadMs });
    await put(world, 'k', 'put');
    await world.publish(TOPIC, json({ id: 'k', n: 1 }), json({ id: 'fresh' }));
    await world.advance(40);
    await main(world);
    expect(await world.get('leaf', 'k')).toBe(winner);
    expect(world.gauges()['doska_snippets_topic_record_age_ms leaf']).toBe(40 - logAheadMs);
    await put(world, 'k', 'later');
    expect(await world.get('leaf', 'k')).toBe('"later"');
  },
);
test('[F9] the gauge takes the newest record of a batch and leaves out records of the retry flow', async () => {
  const { state, parts } = flaky();
  const world = await topicWorld(config('SpecialValidator: "flaky"'), parts);
  const age = () => world.gauges()['doska_snippets_topic_record_age_ms leaf'];
  await world.publish(TOPIC, json({ id: 'waits' }));
  await main(world);
  expect(age()).toBeUndefined();
  state.isBroken = false;
  await world.advance(1_000);
  await retry(world);
  expect(await world.get('leaf', 'waits')).toBeDefined();
  expect(age()).toBeUndefined();
  for (const id of ['a', 'b']) {
    await world.publish(TOPIC, json({ id }));
    await world.advance(30);
  }
  await main(world);
  expect(age()).toBe(30);
});
