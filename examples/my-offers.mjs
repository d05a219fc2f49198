// Lists a seller's offers as his cabinet shows them, with plain fetch. The platform runs (`npm start`) on ./data.
import { readFileSync } from 'node:fs';

const { httpUrl, token } = JSON.parse(
  readFileSync(`${process.env.DOSKA_DATA_DIR ?? 'data'}/run.json`, 'utf8'),
);
const [seller = ''] = process.argv.slice(2);

const answer = await fetch(`${httpUrl}/v1/sellers/${seller}/offers`, {
  headers: { authorization: `Bearer ${token}` },
});
if (!answer.ok) throw new Error(await answer.text());
const { offers } = await answer.json();
const lines = offers.map(({ view }) => `${view.source.externalId}: ${view.title} (${view.status})`);
console.log(lines.sort().join('\n'));
