import { Tokens } from '@doska/app-composition';
import { HOUR_MS, SEARCH_EVENTS } from '@doska/core/search';
import { eventually, readAll } from '@doska/core/kernel/testing';
import { freshDatabase, type FreshDatabase } from '@doska/test-setup/database';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { runningPlatform, type RunningPlatform } from './testing/running-platform.ts';

let database: FreshDatabase;
let platform: RunningPlatform;
let ids: readonly string[];

beforeAll(async () => {
  database = await freshDatabase();
  platform = await runningPlatform('events', database, {
    DOSKA_PARTITIONS: '2',
    DOSKA_SEARCH_CTR_LOAD_EVERY_MS: '100',
    DOSKA_SEARCH_CTR_RESEND_EVERY_MS: '100',
    DOSKA_SEARCH_EVENTS_LATE_MS: '0',
    DOSKA_SEARCH_EVENTS_RATES_MS: '1000',
    DOSKA_SEARCH_EVENTS_PRIOR_RATE: '0.5',
    DOSKA_SEARCH_EVENTS_PRIOR_IMPRESSIONS: '2',
  });
  ids = [await publish('Degu one'), await publish('Degu two')];
  await eventually(async () => expect((await found()).offers).toHaveLength(2), { withinMs: 30_000 });
}, 90_000);
afterAll(() => platform?.stop());

const post = async (path: string, body: object, role?: string): Promise<Response> =>
  fetch(`${platform.url}${path}`, {
    method: path.includes('drafts/') && !path.endsWith('publish') ? 'PUT' : 'POST',
    headers: {
      'content-type': 'application/json',
      ...(role === undefined ? {} : { authorization: `Bearer ${await platform.tokenOf(role)}` }),
    },
    body: JSON.stringify(body),
  });
const json = async <T>(answer: Promise<Response>): Promise<T> => {
  const given = await answer;
  const text = await given.text();
  expect(given.status, text).toBe(200);
  return JSON.parse(text) as T;
};
const publish = async (title: string): Promise<string> => {
  const role = 'seller:ann';
  const { draft } = await json<{ draft: { id: string } }>(post('/v1/drafts:current', {}, role));
  const text = {
    title,
    price: { minorUnits: '100', currency: 'RUB' },
    contacts: { phone: '+7 900 000-00-00' },
  };
  await json(post(`/v1/drafts/${draft.id}`, { categoryId: 'rodents', text }, role));
  type Published = { offer: { offerId: string } };
  return (await json<Published>(post(`/v1/drafts/${draft.id}:publish`, {}, role))).offer.offerId;
};
type Found = { offers: { offerId: string }[]; queryId: string };
const found = () => json<Found>(fetch(`${platform.url}/v1/search?text=degu`));
const event = (offerId: string, kind: 'IMPRESSION' | 'CLICK') => ({
  offerId,
  kind: `SEARCH_EVENT_KIND_${kind}`,
});
const send = (queryId: string, events: readonly object[]) => post('/v1/search/events', { queryId, events });

test('[S15] clicks of buyers without a token become rates, and the ranking follows them', async () => {
  const [one, two] = ids as [string, string];
  const seen = [event(one, 'IMPRESSION'), event(two, 'IMPRESSION')];
  const clicked = async (id: string): Promise<void> => {
    const { queryId } = await found();
    const events = [...seen, event(id, 'CLICK')];
    // The client sends it twice, because it did not see the answer.
    expect(await json(send(queryId, events))).toEqual({ taken: 3 });
    expect(await json(send(queryId, events))).toEqual({ taken: 3 });
  };
  // Without click rates the newer one is the first.
  expect((await found()).offers.map(({ offerId }) => offerId)).toEqual([two, one]);
  for (let n = 0; n < 4; n++) await clicked(one);
  const counted = async () => {
    type Row = { readonly offer: string; readonly impressions: string; readonly clicks: string };
    const sql =
      'select offer, sum(impressions) impressions, sum(clicks) clicks from search.click_count group by 1';
    const { rows } = await database.pool.query<Row>(sql);
    return new Map(rows.map(({ offer, impressions, clicks }) => [offer, [impressions, clicks].map(Number)]));
  };
  await eventually(async () =>
    expect(await counted()).toEqual(
      new Map([
        [one, [4, 4]],
        [two, [4, 0]],
      ]),
    ),
  );
  const rates = async () => {
    const sql =
      'select offer, ctr from search.click_rate where epoch = (select max(epoch) from search.click_rate)';
    const { rows } = await database.pool.query<{ readonly offer: string; readonly ctr: number }>(sql);
    return new Map(rows.map(({ offer, ctr }) => [offer, ctr]));
  };
  // (4 + 1) of 6, and (0 + 1) of 6.
  const expected = new Map([
    [one, 0.833333],
    [two, 0.166667],
  ]);
  await eventually(async () => expect(await rates()).toEqual(expected), { withinMs: 30_000 });
  // The hour has not passed: so a re-index brings the rates into the index.
  await json(post('/v1/search:reindex', { mode: 'REINDEX_MODE_REINDEX' }, 'operator'));
  await eventually(
    async () => expect((await found()).offers.map(({ offerId }) => offerId)).toEqual([one, two]),
    { withinMs: 30_000 },
  );
}, 120_000);

test('[S15] the topic tells neither the address nor the user', async () => {
  const { queryId } = await found();
  await json(
    post('/v1/search/events', { queryId, events: [event(ids[0]!, 'CLICK')] }, 'seller:recognisable'),
  );
  const log = platform.host.container.get(Tokens.log);
  const records = (
    await Promise.all([0, 1].map((partition) => readAll(log, SEARCH_EVENTS, partition)))
  ).flat();
  expect(records.length).toBeGreaterThan(0);
  const text = records
    .map(({ key, value, headers }) => [key, Buffer.from(value).toString('latin1'), JSON.stringify(headers)])
    .join('\n');
  for (const secret of ['127.0.0.1', '::1', 'recognisable', 'seller']) expect(text).not.toContain(secret);
});

test.each([
  ['query_id', { queryId: 'nonsense', events: [event('x', 'CLICK')] }],
  ['query_id', { events: [event('x', 'CLICK')] }],
])('[S15] an event with a wrong %s is refused: %j', async (field, body) => {
  const answer = await post('/v1/search/events', body);
  expect(answer.status).toBe(400);
  expect(await answer.text()).toContain(`"${field}"`);
});

test('[S15] a query id that was changed is refused', async () => {
  const { queryId } = await found();
  const changed = queryId.slice(0, -2) + (queryId.endsWith('A') ? 'BB' : 'AA');
  const [version, payload, seal] = queryId.split('.') as [string, string, string];
  const other = Buffer.from(payload, 'base64url').toString().replace(ids[0]!, '6XDR0DYBAT8C3');
  const forged = [version, Buffer.from(other).toString('base64url'), seal].join('.');
  for (const wrong of [changed, forged])
    expect((await send(wrong, [event(ids[1]!, 'CLICK')])).status).toBe(400);
  expect((await send(queryId, [event(ids[1]!, 'CLICK')])).status).toBe(200);
});

test('[S15] events that are wrong are each named, and nothing is taken', async () => {
  const { queryId } = await found();
  const refused = await send(queryId, [
    event(ids[0]!, 'CLICK'),
    event('6XDR0DYBAT8C3', 'CLICK'),
    { offerId: ids[1] },
  ]);
  expect(refused.status).toBe(400);
  const { violations } = (await refused.json()) as { violations: { field?: string; path?: string }[] };
  expect(violations.map(({ field, path }) => field ?? path)).toEqual([
    'events[1].offer_id',
    'events[2].kind',
  ]);
});

test('[S15] the hourly table of a passed hour is loaded, and its offers are sent again', async () => {
  const hour = Math.floor(Date.now() / HOUR_MS) - 5;
  await database.pool.query(
    'insert into search.click_count (offer, hour, impressions, clicks) values ($1, $2, 3, 1)',
    [ids[0], hour],
  );
  await eventually(
    async () =>
      expect(
        await json(
          fetch(`${platform.url}/v1/search/ctr`, {
            headers: { authorization: `Bearer ${await platform.tokenOf('operator')}` },
          }),
        ),
      ).toMatchObject({
        hourly: expect.arrayContaining([
          { table: `events-hour-${hour}`, offers: '1', loadedAtMs: expect.any(String) as string },
        ]) as unknown,
        queued: '0',
      }),
    { withinMs: 30_000 },
  );
});
