// Searches as a buyer does, with plain fetch: no token, no library. The platform runs (`npm start`) on ./data, and
// first-offer.mjs has published something to find.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';

const { httpUrl } = JSON.parse(readFileSync(`${process.env.DOSKA_DATA_DIR ?? 'data'}/run.json`, 'utf8'));
const [text = ''] = process.argv.slice(2);

const search = async () => {
  const answer = await fetch(`${httpUrl}/v1/search?${new URLSearchParams({ text, page_size: '1' })}`);
  if (!answer.ok) throw new Error(await answer.text());
  return answer.json();
};
// An offer is found a moment after it was published.
let found = await search();
for (let tries = 0; found.offers.length === 0 && tries < 50; tries++) {
  await pause(100);
  found = await search();
}
for (const { card } of found.offers) {
  const price = card.price && `${Number(card.price.minorUnits) / 100} ${card.price.currency}`;
  console.log([card.title, price, card.geoId].filter(Boolean).join(', '));
}
console.log(`categories: ${found.categories.map(({ name }) => name.en).join(', ')}`);
console.log(`filters: ${found.filters.map(({ id }) => id).join(', ')}`);
