import { execFile } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Server, ServerCredentials } from '@grpc/grpc-js';
import { errAsync, okAsync } from 'neverthrow';
import { grpcChannel, grpcServer, offerService } from '@doska/adapters-grpc';
import {
  GetOfferRequest,
  GetOfferResponse,
  OfferServiceDefinition,
} from '@doska/adapters-proto/generated/doska/gost/v1/offer_service';
import { offerIdFrom, type CommandId } from '@doska/core/gost';
import { silentTelemetry, unavailable } from '@doska/core/kernel';
import type { Measured } from '../harness.ts';
import { toolPath } from '../tools.ts';
import { RUN_SECONDS } from './save.ts';
import type { BenchStores } from './product.ts';
import { clock } from './samples.ts';
import { someId, type Stock } from './stock.ts';

const PATH = `/${OfferServiceDefinition.fullName}/GetOffer`;
const TOKEN = 'bench';
const ASKED = offerIdFrom(Array.from({ length: 12 }, (_, i) => i));
const run = promisify(execFile);

/** A request as it stands on the wire: not compressed, its length, the message. */
const frame = (): Buffer => {
  const message = GetOfferRequest.encode({ offerId: ASKED }).finish();
  const length = Buffer.alloc(5);
  length.writeUInt32BE(message.length, 1);
  return Buffer.concat([length, message]);
};
const load = async (port: number): Promise<Measured> => {
  const folder = mkdtempSync(join(tmpdir(), 'doska-h2load-'));
  writeFileSync(join(folder, 'frame.bin'), frame());
  const headers = ['content-type: application/grpc', 'te: trailers', `authorization: Bearer ${TOKEN}`];
  const { stdout } = await run(toolPath('h2load'), [
    '-c',
    '4',
    '-m',
    '16',
    '-t',
    '1',
    '-D',
    String(RUN_SECONDS),
    '-d',
    join(folder, 'frame.bin'),
    ...headers.flatMap((header) => ['-H', header]),
    `http://127.0.0.1:${port}${PATH}`,
  ]).finally(() => rmSync(folder, { recursive: true }));
  const numbers = /requests: .* ([0-9]+) succeeded, ([0-9]+) failed, ([0-9]+) errored/.exec(stdout);
  const rate = /finished in [^,]+, ([0-9.]+) req\/s/.exec(stdout)?.[1];
  if (!numbers || !rate || numbers[2] !== '0' || numbers[3] !== '0')
    throw new Error(`h2load did not get its answers:\n${stdout}`);
  return { value: Number(rate) };
};

/** Answers are checked before the load: h2load looks at no status of gRPC's. */
const checked = async (port: number): Promise<GetOfferResponse> => {
  const channel = grpcChannel({ target: `127.0.0.1:${port}`, clock, token: TOKEN });
  const answer = await channel.client(OfferServiceDefinition).getOffer({ offerId: ASKED });
  channel.close();
  const response = answer._unsafeUnwrap();
  if ((response.offer?.view?.description.length ?? 0) < 500) throw new Error('that is not the offer');
  return response;
};

export type GrpcReads = {
  readonly product: () => Promise<Measured>;
  readonly echo: () => Promise<Measured>;
  readonly stop: () => Promise<void>;
};

/**
 * The product's server over the real store, and a bare grpc-js server with the same codec and the same answer. h2load
 * can send one request only, so the store is asked for another offer every time in its stead: nothing is shared.
 */
export const grpcReads = async ({ gost }: BenchStores, stock: Stock): Promise<GrpcReads> => {
  const { findOffers } = gost.useCases;
  let asked = 0;
  const not = () => errAsync(unavailable('not in this benchmark'));
  const product = (
    await grpcServer({
      listen: { host: '127.0.0.1', port: 0, whenBusy: 'refuse' },
      services: [
        offerService({
          findOffers: () => {
            asked++;
            return findOffers([someId(stock)]);
          },
          changeOffer: not,
          editOffer: not,
          bulkChange: () => okAsync([]),
          offerHistory: not,
          eraseSeller: not,
          scanOffers: async function* () {
            yield* [];
          },
          newCommandId: () => randomUUID() as unknown as CommandId,
        }),
      ],
      clock,
      ids: { next: randomUUID },
      telemetry: silentTelemetry,
      authenticator: { authenticate: () => okAsync({ subject: 'bench', roles: [{ name: 'operator' }] }) },
    })
  )._unsafeUnwrap();
  const answer = await checked(product.port);
  const bare = new Server();
  const serialized = (message: GetOfferResponse): Buffer =>
    Buffer.from(GetOfferResponse.encode(message).finish());
  bare.addService(
    {
      getOffer: {
        path: PATH,
        requestStream: false,
        responseStream: false,
        requestSerialize: (message: GetOfferRequest) => Buffer.from(GetOfferRequest.encode(message).finish()),
        requestDeserialize: (bytes: Buffer) => GetOfferRequest.decode(bytes),
        responseSerialize: serialized,
        responseDeserialize: (bytes: Buffer) => GetOfferResponse.decode(bytes),
      },
    },
    {
      getOffer: (_call: unknown, callback: (error: null, message: GetOfferResponse) => void) =>
        callback(null, answer),
    },
  );
  const port = await new Promise<number>((resolve, reject) =>
    bare.bindAsync('127.0.0.1:0', ServerCredentials.createInsecure(), (error, bound) =>
      error ? reject(error) : resolve(bound),
    ),
  );
  await checked(port);
  return {
    product: async () => {
      asked = 0;
      const measured = await load(product.port);
      if (asked < measured.value * RUN_SECONDS * 0.9) throw new Error('answers did not come from the store');
      return measured;
    },
    echo: () => load(port),
    stop: async () => {
      bare.forceShutdown();
      await product.stop(1_000);
    },
  };
};
