import { createServer } from 'node:net';

export type Settings = Readonly<Record<string, string>>;

/** Small, because the embedded server shares a laptop with other programs. */
const DEFAULTS: Settings = {
  listen_addresses: '127.0.0.1',
  unix_socket_directories: '', // TCP only: socket paths have a length limit that deep projects break
  cluster_name: 'doska',
  max_connections: '120',
  shared_buffers: '128MB',
  max_wal_size: '512MB', // 4GB let a data directory grow to 4 GB
  min_wal_size: '80MB',
  password_encryption: 'scram-sha-256',
  timezone: 'UTC',
  log_timezone: 'UTC',
};

/** Settings are passed on the command line: a start never edits the files of an existing cluster. */
export const commandLine = (cluster: string, port: number, settings: Settings): readonly string[] => [
  '-D',
  cluster,
  '-c',
  `port=${port}`,
  ...Object.entries({ ...DEFAULTS, ...settings }).flatMap(([name, value]) => ['-c', `${name}=${value}`]),
];

/** A port that was free a moment ago; the caller tries another one if it is taken in between. */
export const freePort = (): Promise<number> =>
  new Promise((resolve, reject) => {
    const probe = createServer();
    probe.on('error', reject);
    probe.listen(0, '127.0.0.1', () => {
      const address = probe.address();
      probe.close(() => resolve(typeof address === 'object' && address !== null ? address.port : 0));
    });
  });
