import { allowedPlaces } from '@doska/adapters-download';
import { parseYdbAddress } from '@doska/adapters-ydb';
import type { PlatformSettings } from './platform-settings.ts';
import { listed } from './setting.ts';

/** A setting that another one makes necessary. */
const needed = (value: unknown, variable: string, by: string): readonly string[] =>
  value === undefined ? [`${variable}: needed by ${by}`] : [];

const checkProfile = ({ profile, databaseUrl, tokenKey, signingSecret }: PlatformSettings): string[] => {
  if (profile === 'embedded') return [];
  const by = `DOSKA_PROFILE=${profile}`;
  return [
    ...needed(databaseUrl, 'DATABASE_URL', by),
    ...needed(tokenKey, 'DOSKA_TOKEN_KEY', by),
    ...needed(signingSecret, 'DOSKA_SIGNING_SECRET', by),
  ];
};
const checkKafka = ({
  log,
  kafkaBrokers,
  kafkaSasl,
  kafkaUser,
  kafkaPassword,
}: PlatformSettings): string[] => [
  ...(log === 'kafka' ? needed(kafkaBrokers, 'KAFKA_BROKERS', 'DOSKA_LOG=kafka') : []),
  ...(kafkaSasl === undefined
    ? []
    : [
        ...needed(kafkaUser, 'DOSKA_KAFKA_USER', 'DOSKA_KAFKA_SASL'),
        ...needed(kafkaPassword, 'DOSKA_KAFKA_PASSWORD', 'DOSKA_KAFKA_SASL'),
      ]),
];
const checkYdbLogin = (settings: PlatformSettings): string[] => {
  const { ydbAuth, ydbToken, ydbTokenFile, ydbUser, ydbPassword } = settings;
  if (ydbAuth === 'token') {
    if (ydbToken === undefined && ydbTokenFile === undefined)
      return ['DOSKA_YDB_TOKEN or DOSKA_YDB_TOKEN_FILE: needed by DOSKA_YDB_AUTH=token'];
    return ydbToken !== undefined && ydbTokenFile !== undefined
      ? ['DOSKA_YDB_TOKEN_FILE: not together with DOSKA_YDB_TOKEN']
      : [];
  }
  const isIncomplete = ydbUser === undefined || ydbPassword === undefined;
  return ydbAuth === 'password' && isIncomplete
    ? ['DOSKA_YDB_USER, DOSKA_YDB_PASSWORD: needed by DOSKA_YDB_AUTH=password']
    : [];
};
const checkYdb = (settings: PlatformSettings): string[] => {
  const address = settings.ydbConnectionString;
  const wrong =
    address === undefined
      ? []
      : parseYdbAddress(address).match(
          () => [],
          (reason) => [`YDB_CONNECTION_STRING: ${reason}`],
        );
  return [...wrong, ...checkYdbLogin(settings)];
};
const checkDownloads = ({ downloadAllow }: PlatformSettings): string[] =>
  allowedPlaces(listed(downloadAllow)).match(
    () => [],
    ({ violations }) => violations.map(({ message }) => `DOSKA_DOWNLOAD_ALLOW: ${message}`),
  );
const checkLeases = ({ leaseMs, heartbeatMs }: PlatformSettings): string[] =>
  heartbeatMs * 3 > leaseMs
    ? ['DOSKA_HEARTBEAT_MS: at most a third of DOSKA_LEASE_MS, or one late heartbeat loses the lease']
    : [];

const checkProcesses = (settings: PlatformSettings): string[] => {
  const { processBeatMs, processMissingMs, processKeepMs } = settings;
  return [
    ...(processBeatMs * 2 > processMissingMs
      ? ['DOSKA_PROCESS_BEAT_MS: at most half of DOSKA_PROCESS_MISSING_MS, or a live process looks missing']
      : []),
    ...(processKeepMs <= processMissingMs
      ? ['DOSKA_PROCESS_KEEP_MS: more than DOSKA_PROCESS_MISSING_MS, or a missing process is never shown']
      : []),
  ];
};

/** Checks across several settings of the platform. Returns one line per mistake. */
export const checkPlatform = (settings: PlatformSettings): readonly string[] =>
  [checkProfile, checkKafka, checkYdb, checkDownloads, checkLeases, checkProcesses].flatMap((check) =>
    check(settings),
  );
