import { err, ok, type Result } from 'neverthrow';

export type YdbAddress = {
  /** `host:port` */
  readonly endpoint: string;
  readonly database: string;
  readonly secure: boolean;
  /** In the one form that ydb-sdk reads correctly: of `grpcs://host/?database=/x` it takes the database `/`. */
  readonly connectionString: string;
};
/** What YDB listens on unless it is told otherwise. */
const PORTS = { 'grpc:': '2136', 'grpcs:': '2135' } as const;
const isKnown = (protocol: string): protocol is keyof typeof PORTS => protocol in PORTS;

/** Reads `grpc://host:2136/database` and `grpcs://host:2135/?database=/path`. The error says what is wrong. */
export const parseYdbAddress = (text: string): Result<YdbAddress, string> => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !isKnown(url.protocol) || url.hostname === '')
    return err('it must be like grpc://host:2136/database or grpcs://host:2135/?database=/path');
  const withoutEnd = (path: string): string => path.replace(/\/+$/, '');
  const inPath = withoutEnd(decodeURI(url.pathname));
  const inQuery = withoutEnd(url.searchParams.get('database') ?? '');
  if (inPath === '' && inQuery === '') return err('it names no database');
  if (inPath !== '' && inQuery !== '' && inPath !== inQuery)
    return err(`it names two databases, ${inPath} and ${inQuery}`);
  const named = inPath === '' ? inQuery : inPath;
  const database = named.startsWith('/') ? named : `/${named}`;
  const endpoint = `${url.hostname}:${url.port === '' ? PORTS[url.protocol] : url.port}`;
  return ok({
    endpoint,
    database,
    secure: url.protocol === 'grpcs:',
    connectionString: `${url.protocol}//${endpoint}${database}`,
  });
};
