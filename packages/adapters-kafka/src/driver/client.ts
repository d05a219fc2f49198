import { limitRepeats, type Clock, type Fields, type Logger } from '@doska/core/kernel';
import { Kafka, logLevel, type ISocketFactory, type KafkaConfig, type SASLOptions } from 'kafkajs';
import { askRetry, CONNECTION_TIMEOUT_MS, REQUEST_TIMEOUT_MS } from '../settings.ts';

export type KafkaConnection = {
  /** `host:port` of some brokers. The client discovers the others. */
  readonly brokers: readonly string[];
  readonly clientId?: string;
  /** TLS as Node has it, or `true` for the system's authorities. */
  readonly ssl?: NonNullable<KafkaConfig['ssl']>;
  readonly sasl?: SASLOptions;
  /** Opens connections in a special way, for tests. */
  readonly socketFactory?: ISocketFactory;
  readonly requestTimeoutMs?: number;
};

/** kafkajs logs every retry as an error. The adapter logs what matters, so kafkajs messages are logged one level lower. */
const handOn =
  (logger: Logger) =>
  ({ level, log }: { readonly level: logLevel; readonly log: { readonly message: string } }): void => {
    const { message, ...fields } = log as { readonly message: string } & Fields;
    if (level === logLevel.ERROR) logger.warn(`kafkajs: ${message}`, fields);
    else logger.debug(`kafkajs: ${message}`, fields);
  };

export const kafkaClient = (connection: KafkaConnection, logger: Logger, clock: Clock): Kafka =>
  new Kafka({
    brokers: [...connection.brokers],
    clientId: connection.clientId ?? 'doska',
    connectionTimeout: CONNECTION_TIMEOUT_MS,
    requestTimeout: connection.requestTimeoutMs ?? REQUEST_TIMEOUT_MS,
    retry: askRetry,
    logLevel: logLevel.WARN,
    logCreator: () => handOn(limitRepeats(logger, clock)),
    ...(connection.ssl === undefined ? {} : { ssl: connection.ssl }),
    ...(connection.sasl === undefined ? {} : { sasl: connection.sasl }),
    ...(connection.socketFactory === undefined ? {} : { socketFactory: connection.socketFactory }),
  });
