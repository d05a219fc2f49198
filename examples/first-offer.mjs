// A plain gRPC client, knowing nothing but the contracts in proto/: makes a draft, publishes it, finds it in the
// seller's cabinet and reads what the topic tells everybody else. The platform runs (`npm start`) on ./data.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { credentials, loadPackageDefinition, Metadata } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const { grpcAddress, token } = JSON.parse(
  readFileSync(`${process.env.DOSKA_DATA_DIR ?? 'data'}/run.json`, 'utf8'),
);
const contracts = ['gost/v1/draft_service', 'gost/v1/offer_service', 'operations/v1/operations'];
const { doska } = loadPackageDefinition(
  loadSync(
    contracts.map((name) => `doska/${name}.proto`),
    { includeDirs: ['proto', 'node_modules/protobufjs'], keepCase: true, longs: Number, enums: String },
  ),
);
const metadata = new Metadata();
metadata.set('authorization', `Bearer ${token}`);
const open = (Service) => new Service(grpcAddress, credentials.createInsecure());
const ask = (client, method, request) =>
  new Promise((resolve, reject) =>
    client[method](request, metadata, (error, answer) => (error ? reject(error) : resolve(answer))),
  );

const drafts = open(doska.gost.v1.DraftService);
const cabinet = open(doska.gost.v1.CabinetService);
const operations = open(doska.operations.v1.OperationsService);

// The token of ./data is a service's: it speaks for any seller.
const owner = { user_id: 'ann' };
const { draft } = await ask(drafts, 'GetCurrentDraft', { owner, category_id: 'rodents' });
const text = {
  title: 'Хомяк с клеткой',
  description: 'Ручной, ест с ладони.',
  price: { minor_units: 50_000, currency: 'RUB' },
  place: { address: 'Казань, метро Площадь Тукая' },
  contacts: { name: 'Анна', phone: '+7 900 000-00-00' },
};
await ask(drafts, 'SaveDraft', { owner, draft_id: draft.id, category_id: 'rodents', text });
const { offer } = await ask(drafts, 'PublishDraft', { draft_id: draft.id, seller_id: 'ann' });
console.log(`published ${offer.offer_id}: version ${offer.version}, ${offer.status}`);

const { offers } = await ask(cabinet, 'ListOffers', { seller_id: 'ann', preset: 'PRESET_ACTIVE' });
console.log(`in the cabinet: ${offers[0].view.title}, found in ${offers[0].view.geo.geo_id}`);

/** Every record of the offer that is in the topic by now. */
const told = async () => {
  const records = [];
  const stream = operations.ReadTopic({ topic: 'gost-offer-updates', key: offer.offer_id }, metadata);
  for await (const record of stream) records.push(JSON.parse(record.json));
  return records;
};
let events = await told();
for (let tries = 0; events.length === 0 && tries < 50; tries++) {
  await pause(100);
  events = await told();
}
console.log(
  `in the topic: ${events.map(({ version, status, title }) => `${version} ${status} ${title}`).join('; ')}`,
);
for (const client of [drafts, cabinet, operations]) client.close();
