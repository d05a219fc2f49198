import { connect, type Socket } from 'node:net';
import { silentTelemetry, type Logger, type MessageLog } from '@doska/core/kernel';
import { realClock, realIds, realRandom } from '@doska/core/kernel/testing';
import type { ISocketFactory } from 'kafkajs';
import { kafkaMessageLog, type KafkaConnection, type KafkaMessageLogOptions } from '../index.ts';

/** Sockets that can be cut for good, as kill -9 of their process would; `to` sends them all to a proxy. */
export const cuttableSockets = (
  to?: () => number,
): { readonly socketFactory: ISocketFactory; readonly cut: () => void } => {
  const open = new Set<Socket>();
  let isCut = false;
  return {
    socketFactory: ({ host, port, onConnect }) => {
      const socket = isCut ? connect(1, '127.0.0.1') : connect(to?.() ?? port, host, onConnect);
      socket.setNoDelay(true);
      open.add(socket);
      socket.once('close', () => open.delete(socket));
      return socket;
    },
    cut: () => {
      isCut = true;
      for (const socket of open) socket.destroy();
    },
  };
};

/** Members that are given up within two seconds, and handlers that are called again soon. */
export const quickSettings = {
  sessionMs: 1_500,
  heartbeatMs: 150,
  rebalanceMs: 4_000,
  drainMs: 5_000,
  retry: { firstMs: 20, factor: 2, maxMs: 500, jitter: 0.2 },
} as const;

export const openKafkaLog = (
  brokers: readonly string[],
  more: {
    readonly settings?: KafkaMessageLogOptions['settings'];
    readonly logger?: Logger;
    readonly proxyPort?: () => number;
    readonly requestTimeoutMs?: number;
    /** TLS and a login; then over ordinary sockets, which can't be cut. */
    readonly secure?: Pick<KafkaConnection, 'ssl' | 'sasl'>;
  } = {},
): { readonly log: MessageLog; readonly close: () => Promise<void>; readonly cut: () => Promise<void> } => {
  const { socketFactory, cut } = cuttableSockets(more.proxyPort);
  const log = kafkaMessageLog({
    connection: {
      brokers,
      ...(more.secure ?? { socketFactory }),
      ...(more.requestTimeoutMs === undefined ? {} : { requestTimeoutMs: more.requestTimeoutMs }),
    },
    clock: realClock,
    ids: realIds,
    random: realRandom,
    logger: more.logger ?? silentTelemetry.logger,
    settings: { ...quickSettings, ...more.settings },
  });
  return { log, close: () => log.close(), cut: () => Promise.resolve(cut()) };
};
