import { z } from 'zod';
import { daysOrOff, port, setting, wholeNumber, yesOrNo } from './setting.ts';

const DAY_MS = 86_400_000;

/** Every setting of every app, in the order in which `--help` shows them. A key is absent only where nothing is a meaningful value. */
export const settings = z.strictObject({
  profile: setting(
    'DOSKA_PROFILE',
    z.enum(['embedded', 'postgres']).default('embedded'),
    'Where everything lives: `embedded` brings its own PostgreSQL, `postgres` uses yours.',
  ),
  databaseUrl: setting(
    'DATABASE_URL',
    z.url({ protocol: /^postgres(ql)?$/ }).optional(),
    'Your PostgreSQL; with it the embedded one is not started.',
    { secret: true },
  ),
  databasePool: setting(
    'DOSKA_DATABASE_POOL',
    wholeNumber(2, 1_000).default(10),
    'Connections to PostgreSQL for queries, a process.',
  ),
  log: setting(
    'DOSKA_LOG',
    z.enum(['postgres', 'kafka']).default('postgres'),
    'Which message log: `postgres` keeps it in the same database, `kafka` is your Apache Kafka.',
  ),
  kafkaBrokers: setting(
    'KAFKA_BROKERS',
    z
      .string()
      .regex(/^[^\s,:]+:\d{1,5}(,[^\s,:]+:\d{1,5})*$/, 'host:port, several with commas between them')
      .optional(),
    'Some brokers of your Kafka, `host:port,host:port`; the others are found by them.',
  ),
  kafkaTls: setting('DOSKA_KAFKA_TLS', yesOrNo.optional(), 'Talk to Kafka over TLS.'),
  kafkaCaFile: setting(
    'DOSKA_KAFKA_CA_FILE',
    z.string().min(1).optional(),
    'A PEM file with the authority that Kafka is certified by; without it the system knows.',
  ),
  kafkaSasl: setting(
    'DOSKA_KAFKA_SASL',
    z.enum(['plain', 'scram-sha-256', 'scram-sha-512']).optional(),
    'How to log in at Kafka, with DOSKA_KAFKA_USER and DOSKA_KAFKA_PASSWORD.',
  ),
  kafkaUser: setting('DOSKA_KAFKA_USER', z.string().min(1).optional(), 'The user at Kafka.'),
  kafkaPassword: setting('DOSKA_KAFKA_PASSWORD', z.string().min(1).optional(), "That user's password.", {
    secret: true,
  }),
  kafkaCompression: setting(
    'DOSKA_KAFKA_COMPRESSION',
    z.enum(['none', 'gzip']).default('none'),
    'How batches are compressed on their way to Kafka and there.',
  ),
  kafkaReplication: setting(
    'DOSKA_KAFKA_REPLICATION',
    wholeNumber(1, 15).default(1),
    'Replicas of a topic that is made at Kafka: 3 on a cluster, whose acknowledgement then means two copies.',
  ),
  kafkaLanes: setting(
    'DOSKA_KAFKA_LANES',
    wholeNumber(1, 64).default(2),
    'Producers of a process; each has one send on its way, a key always goes by the same one.',
  ),
  offers: setting(
    'DOSKA_OFFERS',
    z.enum(['postgres', 'ydb']).default('postgres'),
    'Where the offer store is: `postgres` in the same database, `ydb` is your YDB.',
  ),
  ydbConnectionString: setting(
    'YDB_CONNECTION_STRING',
    z.url({ protocol: /^grpcs?$/ }).optional(),
    'Your YDB, `grpc://host:2136/database`.',
  ),
  ydbDirectory: setting(
    'DOSKA_YDB_DIRECTORY',
    z
      .string()
      .regex(/^[A-Za-z0-9_.-]+(\/[A-Za-z0-9_.-]+)*$/, 'names with slashes between them')
      .default('doska'),
    'Where our tables are, below the database.',
  ),
  ydbAuth: setting(
    'DOSKA_YDB_AUTH',
    z.enum(['anonymous', 'token', 'password', 'metadata']).default('anonymous'),
    "How to log in at YDB; `metadata` is the cloud machine's own service account.",
  ),
  ydbToken: setting(
    'DOSKA_YDB_TOKEN',
    z.string().min(1).optional(),
    'The token, with DOSKA_YDB_AUTH=token.',
    {
      secret: true,
    },
  ),
  ydbUser: setting('DOSKA_YDB_USER', z.string().min(1).optional(), 'The user, with DOSKA_YDB_AUTH=password.'),
  ydbPassword: setting('DOSKA_YDB_PASSWORD', z.string().min(1).optional(), "That user's password.", {
    secret: true,
  }),
  migrate: setting(
    'DOSKA_MIGRATE',
    z.enum(['auto', 'check']).optional(),
    'At start: apply migrations (`auto`, the default in `embedded`) or refuse to start when some are missing (`check`).',
  ),
  dataDir: setting(
    'DOSKA_DATA_DIR',
    z.string().min(1).default('data'),
    'Where the embedded profile keeps its data, and blobs are kept as files.',
  ),

  host: setting('DOSKA_HOST', z.string().min(1).default('127.0.0.1'), 'The address to listen on.'),
  httpPort: setting(
    'DOSKA_HTTP_PORT',
    port.default(8080),
    'HTTP port; a busy default moves to the next free one, 0 is any.',
  ),
  grpcPort: setting(
    'DOSKA_GRPC_PORT',
    port.default(9090),
    'gRPC port; a busy default moves to the next free one, 0 is any.',
  ),
  trustedProxies: setting(
    'DOSKA_TRUSTED_PROXIES',
    wholeNumber(0, 10).default(0),
    'How many proxies of yours stand in front: rate limits go by the address before them.',
  ),
  httpBodyBytesMax: setting(
    'DOSKA_HTTP_BODY_BYTES_MAX',
    wholeNumber(1_024, 1 << 30).default(1 << 20),
    'The largest HTTP request body.',
  ),
  grpcRequestBytesMax: setting(
    'DOSKA_GRPC_REQUEST_BYTES_MAX',
    wholeNumber(1_024, 1 << 30).default(4 << 20),
    'The largest gRPC request.',
  ),
  callMsMax: setting(
    'DOSKA_CALL_MS_MAX',
    wholeNumber(100, 3_600_000).default(60_000),
    'The longest a call may take, whatever its client asks.',
  ),
  callsMax: setting(
    'DOSKA_CALLS_MAX',
    wholeNumber(1, 100_000).default(1_000),
    'Calls at the same time, a process; more are refused.',
  ),
  stopMs: setting(
    'DOSKA_STOP_MS',
    wholeNumber(100, 600_000).default(10_000),
    'How long a stop may take before what still runs is cut off.',
  ),

  tokenKeyId: setting(
    'DOSKA_TOKEN_KEY_ID',
    z.string().min(1).default('current'),
    'The name of the key that signs tokens.',
  ),
  tokenKey: setting(
    'DOSKA_TOKEN_KEY',
    z.string().min(32).optional(),
    'The key that signs tokens: a secret of at least 32 bytes (HS256) or an Ed25519 private key (PEM). `embedded` makes one.',
    { secret: true },
  ),
  previousTokenKeyId: setting(
    'DOSKA_PREVIOUS_TOKEN_KEY_ID',
    z.string().min(1).default('previous'),
    'The name of the key before.',
  ),
  previousTokenKey: setting(
    'DOSKA_PREVIOUS_TOKEN_KEY',
    z.string().min(32).optional(),
    'The key before: its tokens are still accepted. A public key (PEM) is enough.',
    { secret: true },
  ),
  tokenIssuer: setting(
    'DOSKA_TOKEN_ISSUER',
    z.string().min(1).default('doska'),
    'Who issues tokens (`iss`).',
  ),
  tokenAudience: setting(
    'DOSKA_TOKEN_AUDIENCE',
    z.string().min(1).default('doska'),
    'For whom tokens are (`aud`).',
  ),
  signingSecret: setting(
    'DOSKA_SIGNING_SECRET',
    z.string().min(32).optional(),
    'Seals page tokens. `embedded` makes one.',
    { secret: true },
  ),
  previousSigningSecret: setting(
    'DOSKA_PREVIOUS_SIGNING_SECRET',
    z.string().min(32).optional(),
    'The secret before: what it sealed is still accepted.',
    { secret: true },
  ),
  openMetrics: setting(
    'DOSKA_OPEN_METRICS',
    yesOrNo.optional(),
    'Serve `/metrics` without a token. By default only in `embedded` on a loopback address.',
  ),
  openReflection: setting(
    'DOSKA_OPEN_REFLECTION',
    yesOrNo.optional(),
    'Answer gRPC reflection without a token. By default only in `embedded` on a loopback address.',
  ),

  catalogUrl: setting(
    'DOSKA_CATALOG_URL',
    z.string().min(1).optional(),
    'The catalogue service (gRPC host:port) that apps copy the catalogue from. By default they read the database.',
  ),
  catalogToken: setting('DOSKA_CATALOG_TOKEN', z.string().min(1).optional(), 'The token to show there.', {
    secret: true,
  }),
  catalogKeep: setting(
    'DOSKA_CATALOG_KEEP',
    wholeNumber(1, 10_000).default(20),
    'How many versions of the catalogue stay readable.',
  ),
  catalogRatePerMinute: setting(
    'DOSKA_CATALOG_RATE',
    wholeNumber(0, 1_000_000).default(600),
    'Reads of the catalogue a minute and address without a token; 0 closes it to them.',
  ),
  offerDays: setting(
    'DOSKA_OFFER_DAYS',
    wholeNumber(1, 3_650).default(30),
    'How long an offer is active before it expires.',
  ),
  offerBytesMax: setting(
    'DOSKA_OFFER_BYTES_MAX',
    wholeNumber(1_024, 102_400).default(102_400),
    'The largest offer.',
  ),
  titleCharsMax: setting(
    'DOSKA_TITLE_CHARS_MAX',
    wholeNumber(10, 1_000).default(120),
    'The longest title of an offer.',
  ),
  descriptionCharsMax: setting(
    'DOSKA_DESCRIPTION_CHARS_MAX',
    wholeNumber(100, 50_000).default(20_000),
    'The longest description of an offer.',
  ),
  photosMax: setting('DOSKA_PHOTOS_MAX', wholeNumber(0, 100).default(30), 'Photos of an offer.'),
  currencies: setting(
    'DOSKA_CURRENCIES',
    z
      .string()
      .regex(/^[A-Z]{3}(,[A-Z]{3})*$/, 'ISO 4217 codes with commas between them')
      .default('RUB,USD,EUR,KZT,BYN'),
    'The currencies of prices.',
  ),
  anonymousDraftDays: setting(
    'DOSKA_ANONYMOUS_DRAFT_DAYS',
    wholeNumber(1, 3_650).default(30),
    "How long a visitor's draft waits for him; so long his token lives too.",
  ),
  publishedDraftDays: setting(
    'DOSKA_PUBLISHED_DRAFT_DAYS',
    wholeNumber(1, 3_650).default(7),
    'How long a repeated publish of a draft is answered with its offer.',
  ),
  sessionsPerMinute: setting(
    'DOSKA_SESSIONS_RATE',
    wholeNumber(1, 1_000_000).default(60),
    'Visitors a minute and address that get an anonymous session.',
  ),
  exportShards: setting(
    'DOSKA_EXPORT_SHARDS',
    wholeNumber(1, 1_024).default(16),
    'Shards of the export queue. Settled for ever by the first start.',
  ),
  exportBatch: setting(
    'DOSKA_EXPORT_BATCH',
    wholeNumber(1, 1_000).default(500),
    'Changes that are published at once, a shard.',
  ),
  commitLingerMs: setting(
    'DOSKA_COMMIT_LINGER_MS',
    wholeNumber(0, 100).default(2),
    'How long a change of an offer waits for others to be committed with it.',
  ),
  commitGroups: setting(
    'DOSKA_COMMIT_GROUPS',
    wholeNumber(1, 64).default(2),
    'Groups of changes that are committed at the same time, a process.',
  ),
  scanRate: setting(
    'DOSKA_SCAN_RATE',
    wholeNumber(1, 10_000_000).default(20_000),
    'Offers a second that one scan may read.',
  ),
  stageBytesMax: setting(
    'DOSKA_STAGE_BYTES_MAX',
    wholeNumber(1, 256 * 1024).default(64 * 1024),
    'The most that an external stage may keep of one offer.',
  ),
  expireEveryMs: setting(
    'DOSKA_EXPIRE_EVERY_MS',
    wholeNumber(100, 3_600_000).default(5_000),
    'How often a shard is looked through for offers that have run out.',
  ),
  auditEveryMs: setting(
    'DOSKA_AUDIT_EVERY_MS',
    wholeNumber(1_000, 86_400_000).default(60_000),
    'How often counts of sellers are counted anew.',
  ),
  auditLists: setting(
    'DOSKA_AUDIT_LISTS',
    wholeNumber(1, 1_000).default(100),
    'Lists that an audit looks at each time.',
  ),
  feedGuardShare: setting(
    'DOSKA_FEED_GUARD_PERCENT',
    wholeNumber(1, 100).default(50),
    'A load that drops more percent of a feed’s offers is held until somebody forces it.',
  ),
  feedGuardOffers: setting(
    'DOSKA_FEED_GUARD_OFFERS',
    wholeNumber(0, 1_000_000).default(20),
    'Fewer offers than this a load may always drop.',
  ),
  bannedFeedDays: setting(
    'DOSKA_BANNED_FEED_DAYS',
    wholeNumber(1, 3_650).default(90),
    'How long a banned offer that its feed dropped gets its id back when it returns.',
  ),
  archiveDays: setting(
    'DOSKA_ARCHIVE_DAYS',
    daysOrOff.default(180),
    'How long an offer is expired, sold or removed before it goes to the archive; `off` (or 0): never. At least DOSKA_BANNED_FEED_DAYS.',
  ),
  archiveBatch: setting(
    'DOSKA_ARCHIVE_BATCH',
    wholeNumber(1, 1_000).default(500),
    'Offers in a segment of the archive, at most.',
  ),
  archiveSegmentBytes: setting(
    'DOSKA_ARCHIVE_SEGMENT_BYTES',
    wholeNumber(64 << 10, 64 << 20).default(4 << 20),
    'Bytes of a segment, at most; an offer that is larger goes alone.',
  ),
  archiveEveryMs: setting(
    'DOSKA_ARCHIVE_EVERY_MS',
    wholeNumber(100, DAY_MS).default(60_000),
    'How often a shard is looked through for offers that the archive is due.',
  ),
  archiveReads: setting(
    'DOSKA_ARCHIVE_READS',
    wholeNumber(1, 100).default(8),
    'Archived offers that one call reads at the same time.',
  ),
  archiveSweepMs: setting(
    'DOSKA_ARCHIVE_SWEEP_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(21_600_000),
    'How often the archive is looked through for segments that are nobody’s.',
  ),
  archiveGraceMs: setting(
    'DOSKA_ARCHIVE_GRACE_MS',
    wholeNumber(1_000, 30 * DAY_MS).default(DAY_MS),
    'How long a segment must have been nobody’s before it is deleted.',
  ),
  placesFile: setting(
    'DOSKA_PLACES_FILE',
    z.string().min(1).optional(),
    'A file of cities that the geocoder knows; by default the one that comes along.',
  ),

  downloadAllow: setting(
    'DOSKA_DOWNLOAD_ALLOW',
    z.string().optional(),
    'Hosts, addresses and networks that may be downloaded from although they are not public, with commas between them.',
  ),
  downloadPorts: setting(
    'DOSKA_DOWNLOAD_PORTS',
    z
      .string()
      .regex(/^\s*\d{1,5}\s*(,\s*\d{1,5}\s*)*$/, 'ports with commas between them')
      .default('80,443,8080,8443'),
    'The ports of public servers that may be downloaded from.',
  ),
  downloadProxy: setting(
    'DOSKA_DOWNLOAD_PROXY',
    z.url({ protocol: /^http$/ }).optional(),
    'An HTTP proxy that allows CONNECT, for all downloads; a user and password may stand in it.',
    { secret: true },
  ),

  photoBytesMax: setting(
    'DOSKA_PHOTO_BYTES_MAX',
    wholeNumber(1_024, 1 << 28).default(20 << 20),
    'The largest picture that is fetched.',
  ),
  photoPixelsMax: setting(
    'DOSKA_PHOTO_PIXELS_MAX',
    wholeNumber(10_000, 1_000_000_000).default(50_000_000),
    'The most pixels of a picture that is looked at.',
  ),
  photoMsMax: setting(
    'DOSKA_PHOTO_MS_MAX',
    wholeNumber(100, 600_000).default(30_000),
    'The longest that one try to fetch a picture may take.',
  ),
  photoAttempts: setting(
    'DOSKA_PHOTO_ATTEMPTS',
    wholeNumber(1, 10).default(3),
    'How often a picture is tried whose server fails in passing.',
  ),
  photoParallel: setting(
    'DOSKA_PHOTO_PARALLEL',
    wholeNumber(1, 100).default(4),
    'Pictures that are worked on at a time, a process.',
  ),
  photoRememberMs: setting(
    'DOSKA_PHOTO_REMEMBER_MS',
    wholeNumber(0, 365 * DAY_MS).default(7 * DAY_MS),
    'A picture that was fetched so recently is not fetched again.',
  ),
  photoRatePerMinute: setting(
    'DOSKA_PHOTO_RATE',
    wholeNumber(0, 1_000_000).default(6_000),
    'Pictures a minute and address without a token; 0 closes them.',
  ),
  demo: setting(
    'DOSKA_DEMO',
    yesOrNo.optional(),
    'Fill an empty platform with demo data. By default in `embedded`.',
  ),

  logLevel: setting(
    'DOSKA_LOG_LEVEL',
    z.enum(['debug', 'info', 'warn', 'error']).default('info'),
    'How much the process tells of itself.',
  ),
  logFormat: setting(
    'DOSKA_LOG_FORMAT',
    z.enum(['pretty', 'json']).optional(),
    'Lines for people or for machines. By default `pretty` on a terminal.',
  ),
  otlpUrl: setting('DOSKA_OTLP_URL', z.url().optional(), 'Where traces are sent (OTLP over HTTP).'),

  leaseMs: setting(
    'DOSKA_LEASE_MS',
    wholeNumber(500, 600_000).default(5_000),
    'A member that is not heard of for so long loses its shards.',
  ),
  heartbeatMs: setting(
    'DOSKA_HEARTBEAT_MS',
    wholeNumber(50, 60_000).default(1_000),
    'How often a member says that it lives.',
  ),
  partitions: setting(
    'DOSKA_PARTITIONS',
    wholeNumber(1, 1_024).default(8),
    'Partitions of a topic that is made. Settled for ever when it is made.',
  ),
  retentionMs: setting(
    'DOSKA_RETENTION_MS',
    wholeNumber(60_000, 3_650 * DAY_MS).default(7 * DAY_MS),
    'How long a topic keeps its records.',
  ),
  unreadFactor: setting(
    'DOSKA_UNREAD_FACTOR',
    wholeNumber(1, 1_000).default(4),
    'What a group has not read is kept this many times longer.',
  ),
  lagSampleMs: setting(
    'DOSKA_LAG_SAMPLE_MS',
    wholeNumber(100, 3_600_000).default(10_000),
    'How often the lag of consumer groups is measured for `/metrics`.',
  ),
  recordBytesMax: setting(
    'DOSKA_RECORD_BYTES_MAX',
    wholeNumber(1_024, 1 << 20).default(1 << 20),
    'The largest record of a topic.',
  ),
});

export type Settings = z.infer<typeof settings>;
