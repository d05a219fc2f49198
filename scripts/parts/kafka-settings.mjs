/** What a one-node Apache Kafka (KRaft) for development and tests is told. Production brokers are not configured here. */
export const KAFKA_VERSION = process.env.KAFKA_VERSION ?? '4.3.1';

/** The properties of a broker that is its own controller, on two ports of 127.0.0.1. */
export const brokerProperties = ({ port, controllerPort, dataDir }) => ({
  'process.roles': 'broker,controller',
  'node.id': 1,
  'controller.quorum.voters': `1@127.0.0.1:${controllerPort}`,
  listeners: `PLAINTEXT://127.0.0.1:${port},CONTROLLER://127.0.0.1:${controllerPort}`,
  'advertised.listeners': `PLAINTEXT://127.0.0.1:${port}`,
  'inter.broker.listener.name': 'PLAINTEXT',
  'controller.listener.names': 'CONTROLLER',
  'listener.security.protocol.map': 'CONTROLLER:PLAINTEXT,PLAINTEXT:PLAINTEXT',
  'log.dirs': dataDir,
  'auto.create.topics.enable': false,
  'offsets.topic.replication.factor': 1,
  'offsets.topic.num.partitions': 1,
  'transaction.state.log.replication.factor': 1,
  'transaction.state.log.min.isr': 1,
  'transaction.state.log.num.partitions': 1,
  'group.initial.rebalance.delay.ms': 0,
  'group.min.session.timeout.ms': 500, // the log's contract has members that are given up within two seconds
  // After kill -9 the controller holds the old registration for a session: a restart takes 4-6 s instead of 13-15 s.
  'broker.session.timeout.ms': 2000,
  'broker.heartbeat.interval.ms': 500,
  'num.network.threads': 2,
  'num.io.threads': 4,
  'background.threads': 2,
  'log.segment.bytes': 67108864,
  'log.retention.bytes': 536870912, // a partition: bounds the disk
});

const LOGGER = {
  defaultLogLevel: 'warn',
  showDateTime: true,
  dateTimeFormat: 'HH:mm:ss.SSS',
  showThreadName: false,
  'log.kafka.server.KafkaRaftServer': 'info', // says when it is ready
  'log.org.apache.kafka.common.utils.AppInfoParser': 'info', // says its version
  'log.org.apache.kafka.controller.QuorumController': 'error',
  'log.state.change.logger': 'off',
  'log.org.apache.kafka.clients.NetworkClient': 'error',
};

export const javaArguments = ({ libs, tmpDir, heap = process.env.KAFKA_HEAP ?? '256m' }) => [
  '-Xms64m',
  `-Xmx${heap}`,
  '-XX:+UseSerialGC',
  '-XX:+ExitOnOutOfMemoryError',
  '-XX:TieredStopAtLevel=1', // short lives: quick compilation is worth more than the best code
  `-Djava.io.tmpdir=${tmpDir}`,
  ...Object.entries(LOGGER).map(([name, value]) => `-Dorg.slf4j.simpleLogger.${name}=${value}`),
  '-cp',
  `${libs}/*`,
];

const dependency = (group, artifact, version) =>
  `<dependency><groupId>${group}</groupId><artifactId>${artifact}</artifactId><version>${version}</version></dependency>`;

export const POM = `<project xmlns="http://maven.apache.org/POM/4.0.0"><modelVersion>4.0.0</modelVersion>
<groupId>doska</groupId><artifactId>kafka-node</artifactId><version>1</version>
<dependencies>${dependency('org.apache.kafka', 'kafka_2.13', KAFKA_VERSION)}${dependency('org.slf4j', 'slf4j-simple', '1.7.36')}</dependencies></project>
`;
