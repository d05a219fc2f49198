import {
  AbsentOffers as PbAbsent,
  ErrorLevel as PbLevel,
  ExportFormat as PbExport,
  FeedFormat as PbFormat,
  LoadPlace as PbPlace,
  type Feed as PbFeed,
  type FeedSettings as PbSettings,
  type LinkState,
  type Load as PbLoad,
  type OfferError as PbError,
} from '@doska/adapters-proto/generated/doska/feeds/v1/feed_service';
import {
  NEVER_MS,
  type AbsentOffers,
  type ExportFormat,
  type Feed,
  type FeedFormat,
  type FeedLink,
  type FeedSettings,
  type FeedTaskPlace,
  type Load,
  type LoadStatistics,
  type LoadView,
  type StoredError,
} from '@doska/core/feeds';
import { invalidInput, type InvalidInput } from '@doska/core/kernel';
import { err, ok, Result } from 'neverthrow';

const FORMATS: Readonly<Record<FeedFormat, PbFormat>> = {
  auto: PbFormat.FEED_FORMAT_UNSPECIFIED,
  'doska-xml': PbFormat.FEED_FORMAT_DOSKA_XML,
  'doska-json': PbFormat.FEED_FORMAT_DOSKA_JSON,
};
const ABSENT: Readonly<Record<AbsentOffers, PbAbsent>> = {
  remove: PbAbsent.ABSENT_OFFERS_REMOVE,
  manual: PbAbsent.ABSENT_OFFERS_MANUAL,
};
const PLACES: Readonly<Record<FeedTaskPlace, PbPlace>> = {
  queued: PbPlace.LOAD_PLACE_QUEUED,
  sent: PbPlace.LOAD_PLACE_SENT,
  held: PbPlace.LOAD_PLACE_HELD,
  failed: PbPlace.LOAD_PLACE_FAILED,
  succeed: PbPlace.LOAD_PLACE_SUCCEED,
};
const HOUR_SEC = 3_600;

const unknownValue = (path: string): Result<never, InvalidInput> =>
  err(invalidInput({ path, code: 'UnknownValue', message: 'this version does not know the value' }));
const named = <Name extends string>(
  table: Readonly<Record<Name, number>>,
  value: number,
  path: string,
): Result<Name, InvalidInput> => {
  const found = (Object.keys(table) as Name[]).find((name) => table[name] === value);
  return found === undefined ? unknownValue(path) : ok(found);
};
export const absentFromPb = (value: PbAbsent, path: string): Result<AbsentOffers, InvalidInput> =>
  value === PbAbsent.ABSENT_OFFERS_UNSPECIFIED ? ok('remove') : named(ABSENT, value, path);
export const levelFromPb = (value: PbLevel): Result<'error' | 'warning' | undefined, InvalidInput> => {
  if (value === PbLevel.ERROR_LEVEL_UNSPECIFIED) return ok(undefined);
  if (value === PbLevel.ERROR_LEVEL_ERROR) return ok('error');
  return value === PbLevel.ERROR_LEVEL_WARNING ? ok('warning') : unknownValue('level');
};

export const EXPORTS: Readonly<Record<ExportFormat, PbExport>> = {
  csv: PbExport.EXPORT_FORMAT_CSV,
  xlsx: PbExport.EXPORT_FORMAT_XLSX,
};
export const exportFormatFromPb = (value: PbExport): Result<ExportFormat, InvalidInput> =>
  value === PbExport.EXPORT_FORMAT_UNSPECIFIED ? ok('csv') : named(EXPORTS, value, 'format');

const filled = (text: string | undefined): string | undefined => (text === '' ? undefined : text);
export const settingsFromPb = (settings: PbSettings | undefined): Result<FeedSettings, InvalidInput> => {
  if (!settings)
    return err(invalidInput({ path: 'settings', code: 'Missing', message: 'a feed has settings' }));
  const { url, intervalSeconds, format, absent, defaults } = settings;
  return Result.combine([
    named(FORMATS, format, 'settings.format'),
    absentFromPb(absent, 'settings.absent'),
  ]).map(([readFormat, readAbsent]) => ({
    url: filled(url),
    intervalMs: (intervalSeconds || HOUR_SEC) * 1_000,
    format: readFormat,
    absent: readAbsent,
    defaults: {
      contacts: {
        name: filled(defaults?.contactName),
        phone: filled(defaults?.phone),
        email: filled(defaults?.email),
      },
      address: filled(defaults?.address),
      currency: filled(defaults?.currency),
    },
  }));
};
export const feedToPb = ({ seller, namespace, version, settings, lastTask }: Feed): PbFeed => ({
  sellerId: seller,
  namespace,
  version: BigInt(version),
  lastTask: BigInt(lastTask),
  settings: {
    url: settings.url ?? '',
    intervalSeconds: Math.round(settings.intervalMs / 1_000),
    format: FORMATS[settings.format],
    absent: ABSENT[settings.absent],
    defaults: {
      contactName: settings.defaults.contacts.name ?? '',
      phone: settings.defaults.contacts.phone ?? '',
      email: settings.defaults.contacts.email ?? '',
      address: settings.defaults.address ?? '',
      currency: settings.defaults.currency ?? '',
    },
  },
});
export const linkToPb = ({ lastFetchedAtMs, nextAttemptAtMs, failures, lastError }: FeedLink): LinkState => ({
  lastFetchedAtMs: lastFetchedAtMs === undefined ? undefined : BigInt(lastFetchedAtMs),
  nextAttemptAtMs: nextAttemptAtMs === NEVER_MS ? 0n : BigInt(nextAttemptAtMs),
  failures,
  lastError: lastError?.message ?? '',
});

const failureOf = ({ task, fatal }: Load): string => {
  if (task.place !== 'failed') return '';
  const said = 'message' in task.failure ? task.failure.message : '';
  return fatal?.message ?? said;
};
const statisticsToPb = (statistics: LoadStatistics): NonNullable<PbLoad['statistics']> => ({
  inserted: BigInt(statistics.verdicts.inserted),
  updated: BigInt(statistics.verdicts.updated),
  unchanged: BigInt(statistics.verdicts.unchanged),
  rejected: BigInt(statistics.verdicts.rejected),
  skipped: BigInt(statistics.verdicts.skipped),
  removed: BigInt(statistics.removed),
  manual: BigInt(statistics.manual),
  known: BigInt(statistics.known),
  unseen: BigInt(statistics.unseen),
  errors: BigInt(statistics.errors),
  warnings: BigInt(statistics.warnings),
  storedErrors: BigInt(statistics.stored),
  codes: Object.fromEntries(Object.entries(statistics.codes).map(([code, count]) => [code, BigInt(count)])),
});
export const loadToPb = ({ load, statistics }: LoadView): PbLoad => {
  const { task, progress, file, fatal } = load;
  const answered = Object.values(statistics.verdicts).reduce((sum, count) => sum + count, 0);
  return {
    task: BigInt(task.id),
    place: PLACES[task.place],
    origin: load.origin,
    createdAtMs: BigInt(load.createdAtMs),
    updatedAtMs: BigInt(load.updatedAtMs),
    fileBytes: BigInt(file?.bytes ?? 0),
    fileHash: file?.hash ?? '',
    error: failureOf(load),
    errorCode: task.place === 'failed' ? (fatal?.code ?? task.failure.code) : '',
    errorLine: fatal?.line,
    errorColumn: fatal?.column,
    progress: {
      bytesRead: BigInt(progress.bytesRead),
      offersRead: BigInt(progress.offersRead),
      offersSent: BigInt(progress.offersSent),
      offersAnswered: BigInt(answered),
      unreadable: BigInt(progress.unreadable),
      transientErrors: BigInt(progress.transientErrors),
    },
    statistics: statisticsToPb(statistics),
    unchangedFetches: load.unchanged?.count ?? 0,
    removal: task.place === 'succeed' ? task.removal : '',
    attempts: task.attempts,
  };
};
export const errorToPb = (error: Omit<StoredError, 'n'> & { readonly n?: number }): PbError => ({
  externalId: error.externalId,
  title: error.title ?? '',
  level: error.level === 'error' ? PbLevel.ERROR_LEVEL_ERROR : PbLevel.ERROR_LEVEL_WARNING,
  code: error.code,
  path: error.path,
  message: error.message,
  value: error.value,
  line: error.line,
  ordinal: BigInt(error.ordinal),
  number: BigInt(error.n ?? 0),
});
