// A plain gRPC client of the indexing system, knowing nothing but the contracts in proto/: pushes two documents of its own
// kind, waits until they are searchable, and finds one of them. The client is named `things`; a platform knows it if it
// was started with DOSKA_VASGEN_CLIENTS=offers,things.
import { readFileSync } from 'node:fs';
import { setTimeout as pause } from 'node:timers/promises';
import { credentials, loadPackageDefinition, Metadata } from '@grpc/grpc-js';
import { loadSync } from '@grpc/proto-loader';

const client = 'things';
const { grpcAddress, token } = JSON.parse(
  readFileSync(`${process.env.DOSKA_DATA_DIR ?? 'data'}/run.json`, 'utf8'),
);
const contracts = ['receiver_service', 'epoch_service', 'searcher_service'];
const { doska } = loadPackageDefinition(
  loadSync(
    contracts.map((name) => `doska/vasgen/v1/${name}.proto`),
    {
      includeDirs: ['proto', 'node_modules/protobufjs'],
      keepCase: true,
      longs: Number,
      enums: String,
      defaults: true,
    },
  ),
);
const metadata = new Metadata();
metadata.set('authorization', `Bearer ${token}`);
const open = (Service) => new Service(grpcAddress, credentials.createInsecure());
const ask = (service, method, request) =>
  new Promise((resolve, reject) =>
    service[method](request, metadata, (error, answer) => (error ? reject(error) : resolve(answer))),
  );
const { EpochService, ReceiverService, SearcherService } = doska.vasgen.v1;
const [epochs, receiver, searcher] = [EpochService, ReceiverService, SearcherService].map(open);

// A document goes to each living epoch of its client once. This client has one.
const living = await ask(epochs, 'GetEpochs', { client });
const [{ epoch }] = living.epochs;
const document = (pk, title, price) => ({
  pk,
  event: 'DOCUMENT_EVENT_UPSERT',
  epoch,
  version: 1,
  modify_timestamp_ms: Date.now(),
  // The first document with a field says what kind of field it is.
  fields: [
    { name: 'title', text: title },
    { name: 'price', number: price },
  ],
});
const documents = [
  document('bike-1', 'Красный велосипед', 12_000),
  document('bike-2', 'Велосипед для детей', 4_000),
  { pk: 'bike-3', event: 'DOCUMENT_EVENT_UPSERT', epoch, version: 1, modify_timestamp_ms: Date.now() },
];
const { verdicts } = await ask(receiver, 'PushBatch', { client, documents });
for (const [n, { kind, violations }] of verdicts.entries())
  console.log(`${documents[n].pk}: ${kind}${violations.map(({ message }) => `, ${message}`).join('')}`);

const find = (filter) =>
  ask(searcher, 'Execute', { client, text: { words: 'велосипеды' }, filter, limit: 10 });
let all = await find();
for (let tries = 0; all.total < 2 && tries < 100; tries++) {
  await pause(100);
  all = await find();
}
const cheap = await find({ range: { field: 'price', max: 5_000 } });
console.log(`${all.total} documents are found, cheap: ${cheap.hits.map(({ pk }) => pk).join(', ')}`);
for (const service of [epochs, receiver, searcher]) service.close();
