import { connect, createServer, type AddressInfo, type Socket } from 'node:net';

/** One request or answer of Kafka's protocol as it passes. `bytes` is the whole frame, its length included. */
export type Frame = { readonly apiKey: number; readonly bytes: Buffer };
/** `drop`: it never arrives, the connection stays. `cut`: the connection ends instead. */
export type Verdict = 'pass' | 'drop' | 'cut';
export type FrameProxy = {
  readonly port: number;
  /** What passes; both may be exchanged at any time. */
  onRequest: (frame: Frame) => Verdict;
  onAnswer: (frame: Frame) => Verdict;
  /** How many requests of each kind were made, in all. */
  readonly requests: Map<number, number>;
  close(): Promise<void>;
};

export const API = {
  produce: 0,
  offsetCommit: 8,
  joinGroup: 11,
  heartbeat: 12,
  initProducerId: 22,
  addPartitionsToTxn: 24,
  addOffsetsToTxn: 25,
  endTxn: 26,
  txnOffsetCommit: 28,
} as const;

/** Cuts a stream of bytes into frames: four bytes of length, then so many. */
const framer = (onFrame: (bytes: Buffer) => void): ((chunk: Buffer) => void) => {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = Buffer.concat([rest, chunk]);
    while (rest.length >= 4 && rest.length >= 4 + rest.readInt32BE(0)) {
      const end = 4 + rest.readInt32BE(0);
      onFrame(rest.subarray(0, end));
      rest = rest.subarray(end);
    }
  };
};

/** Stands between a client and the broker and understands just enough to lose what a network may lose. */
export const frameProxy = async (broker: string): Promise<FrameProxy> => {
  const [host, brokerPort] = broker.split(':');
  const sockets = new Set<Socket>();
  const requests = new Map<number, number>();
  const serve = (client: Socket): void => {
    const upstream = connect(Number(brokerPort), host);
    const asked = new Map<number, number>();
    const end = (): void => {
      client.destroy();
      upstream.destroy();
    };
    const pass = (verdict: Verdict, to: Socket, bytes: Buffer): void => {
      if (verdict === 'cut') end();
      else if (verdict === 'pass' && !to.destroyed) to.write(bytes);
    };
    for (const socket of [client, upstream]) {
      sockets.add(socket);
      socket.setNoDelay(true);
      socket.on('error', end);
      socket.on('close', () => {
        sockets.delete(socket);
        end();
      });
    }
    client.on(
      'data',
      framer((bytes) => {
        const apiKey = bytes.readInt16BE(4);
        asked.set(bytes.readInt32BE(8), apiKey);
        requests.set(apiKey, (requests.get(apiKey) ?? 0) + 1);
        pass(proxy.onRequest({ apiKey, bytes }), upstream, bytes);
      }),
    );
    upstream.on(
      'data',
      framer((bytes) => {
        const apiKey = asked.get(bytes.readInt32BE(4)) ?? -1;
        asked.delete(bytes.readInt32BE(4));
        pass(proxy.onAnswer({ apiKey, bytes }), client, bytes);
      }),
    );
  };
  const server = createServer(serve);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const proxy: FrameProxy = {
    port: (server.address() as AddressInfo).port,
    onRequest: () => 'pass',
    onAnswer: () => 'pass',
    requests,
    close: async () => {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
  return proxy;
};

/** Behind a request's header: size, key, version, correlation and the client's name. */
const bodyAt = (bytes: Buffer): number => 14 + Math.max(0, bytes.readInt16BE(12));
const afterString = (bytes: Buffer, at: number): number => at + 2 + Math.max(0, bytes.readInt16BE(at));

/** The transaction a producer asks for an id with, or undefined. */
export const transactionalId = ({ bytes }: Frame): string | undefined => {
  const at = bodyAt(bytes);
  const length = bytes.readInt16BE(at);
  return length < 0 ? undefined : bytes.toString('utf8', at + 2, at + 2 + length);
};
/** The producer's id in the first batch of a Produce request: -1 when it has none. */
export const producerId = ({ bytes }: Frame): bigint => {
  const acks = afterString(bytes, bodyAt(bytes));
  const topic = acks + 2 + 4 + 4;
  const batch = afterString(bytes, topic) + 4 + 4 + 4;
  return bytes.readBigInt64BE(batch + 8 + 4 + 4 + 1 + 4 + 2 + 4 + 8 + 8);
};
