import type { Contacts, FeedKey } from '../../gost/index.ts';
import {
  invalidInputOf,
  isLongerThan,
  textViolations,
  type InvalidInput,
  type Violation,
} from '../../kernel/index.ts';
import { err, ok, type Result } from 'neverthrow';

/** `auto`: found by the content of the file. */
export const FEED_FORMATS = ['auto', 'doska-xml', 'doska-json'] as const;
export type FeedFormat = (typeof FEED_FORMATS)[number];
/** What becomes of offers that a load did not have, and of all offers when the feed is removed. */
export type AbsentOffers = 'remove' | 'manual';

/** Used where an offer of the file says nothing. */
export type FeedDefaults = {
  readonly contacts: Contacts;
  readonly address: string | undefined;
  readonly currency: string | undefined;
};
export const noDefaults: FeedDefaults = {
  contacts: { name: undefined, phone: undefined, email: undefined },
  address: undefined,
  currency: undefined,
};
export type FeedSettings = {
  /** Undefined: the feed is filled by uploads. */
  readonly url: string | undefined;
  readonly intervalMs: number;
  readonly format: FeedFormat;
  readonly absent: AbsentOffers;
  readonly defaults: FeedDefaults;
};

/** A seller's feed. It is never deleted, so that the numbers of its loads go on after a removal. */
export type Feed = FeedKey & {
  /** Counts changes of the settings and removals. */
  readonly version: number;
  readonly status: 'active' | 'removed';
  /** The number of the newest load. */
  readonly lastTask: number;
  readonly settings: FeedSettings;
  readonly changedAtMs: number;
};

export const MAIN_NAMESPACE = 'main';
const PARSED_PREFIX = 'parsed-';
const NAMESPACE = /^[a-z0-9-]{1,40}$/;
const SOURCE = /^[a-z0-9][a-z0-9-]{0,31}$/;

/** Feeds of crawlers: their errors are not shown to the seller. */
export const isParsedNamespace = (namespace: string): boolean => namespace.startsWith(PARSED_PREFIX);
/** The site that the feed was crawled from. */
export const parsedSource = (namespace: string): string | undefined =>
  isParsedNamespace(namespace) ? namespace.slice(PARSED_PREFIX.length) : undefined;
export const parsedNamespace = (source: string): Result<string, InvalidInput> =>
  SOURCE.test(source)
    ? ok(`${PARSED_PREFIX}${source}`)
    : err(
        invalidInputOf([
          {
            path: 'source',
            code: 'Malformed',
            message: 'lower-case letters, digits and dashes, 32 at most',
          },
        ]),
      );

const malformed = (path: string, message: string): Violation => ({ path, code: 'Malformed', message });
export const feedNamespaceViolations = (namespace: string): readonly Violation[] =>
  NAMESPACE.test(namespace)
    ? []
    : [malformed('namespace', 'lower-case letters, digits and dashes, 40 at most')];

export type FeedSettingsLimits = {
  readonly intervalMsMin: number;
  readonly intervalMsMax: number;
  readonly urlCharsMax: number;
};
const HOUR_MS = 3_600_000;
export const defaultFeedSettingsLimits: FeedSettingsLimits = {
  intervalMsMin: HOUR_MS / 4,
  intervalMsMax: 30 * 24 * HOUR_MS,
  urlCharsMax: 2_000,
};
const TEXT_CHARS_MAX = 500;
const CURRENCY = /^[A-Z]{3}$/;

/** What is wrong with the address of a file. Whether it may be asked is decided when it is asked. */
export const urlViolations = (url: string, charsMax: number): readonly Violation[] => {
  if (isLongerThan(url, charsMax))
    return [{ path: 'url', code: 'TooLong', message: `at most ${charsMax} characters` }];
  const parsed = /^https?:\/\/[^\s/@]+(\/\S*|\?\S*)?$/i.test(url);
  return parsed ? [] : [malformed('url', 'an http or https address without a user name')];
};

/** What is wrong with the settings of a feed. */
export const feedSettingsViolations = (
  { url, intervalMs, defaults }: FeedSettings,
  limits: FeedSettingsLimits,
): readonly Violation[] => {
  const { intervalMsMin, intervalMsMax, urlCharsMax } = limits;
  const { contacts, address, currency } = defaults;
  const texts = [
    ['defaults.contacts.name', contacts.name],
    ['defaults.contacts.phone', contacts.phone],
    ['defaults.contacts.email', contacts.email],
    ['defaults.address', address],
  ] as const;
  const isInterval = intervalMs >= intervalMsMin && intervalMs <= intervalMsMax;
  return [
    ...(url === undefined ? [] : urlViolations(url, urlCharsMax)),
    ...(url === undefined || isInterval
      ? []
      : [
          {
            path: 'interval',
            code: 'OutOfRange',
            message: `from ${intervalMsMin / 1_000} to ${intervalMsMax / 1_000} seconds`,
          },
        ]),
    ...texts.flatMap(([path, text]) =>
      text === undefined ? [] : textViolations(path, text, { charsMax: TEXT_CHARS_MAX }),
    ),
    ...(currency === undefined || CURRENCY.test(currency)
      ? []
      : [malformed('defaults.currency', 'three capital letters of ISO 4217')]),
  ];
};
