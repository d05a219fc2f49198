import { textViolations, wholeNumberViolations, type TextRules, type Violation } from '../../kernel/index.ts';
import { parseOfferId } from './offer-id.ts';

/**
 * Bounds of ids, names and versions: a part of the contract, the same for gRPC, topics and the command line. Every store can
 * keep them: an index row of PostgreSQL holds a seller id, a namespace and an external id together in 2,700 bytes.
 */
export const FIELD_BOUNDS = {
  sellerIdChars: 128,
  ownerIdChars: 128,
  namespaceChars: 100,
  externalIdChars: 256,
  commandIdChars: 100,
  draftIdChars: 64,
  stageNameChars: 50,
  categoryIdChars: 100,
  attributeIdChars: 100,
  /** Attributes of one offer: a category has far fewer. */
  attributes: 1_000,
  imageIdChars: 200,
  geoIdChars: 100,
  /** Metro stations of one place. All of them travel in the record of the offer. */
  metroStations: 20,
  /** Errors that a feed processor found in one entry, and how long their texts are. */
  feedErrors: 50,
  feedErrorCodeChars: 100,
  feedErrorPathChars: 500,
  feedErrorTextChars: 2_000,
  /** Reasons of a ban: how many, and how long each is. All of them travel in the record of the offer. */
  reasons: 20,
  reasonChars: 500,
} as const;

type Check = (text: string, path?: string) => readonly Violation[];
/** An id: one line that shows something. */
const idRule =
  (field: string, charsMax: number): Check =>
  (text, path = field) =>
    textViolations(path, text, { charsMin: 1, charsMax });

export const sellerIdViolations = idRule('seller_id', FIELD_BOUNDS.sellerIdChars);
/** Of a user or a visitor who owns a draft. */
export const ownerIdViolations = idRule('owner', FIELD_BOUNDS.ownerIdChars);
export const namespaceViolations = idRule('namespace', FIELD_BOUNDS.namespaceChars);
export const externalIdViolations = idRule('external_id', FIELD_BOUNDS.externalIdChars);
export const draftIdViolations = idRule('draft_id', FIELD_BOUNDS.draftIdChars);
export const categoryIdViolations = idRule('category_id', FIELD_BOUNDS.categoryIdChars);
export const attributeIdViolations = idRule('attribute_id', FIELD_BOUNDS.attributeIdChars);
export const imageIdViolations = idRule('image_id', FIELD_BOUNDS.imageIdChars);
export const geoIdViolations = idRule('geo_id', FIELD_BOUNDS.geoIdChars);

/** A command may have no id: an empty text is right. */
export const commandIdViolations: Check = (text, path = 'command_id') =>
  text === '' ? [] : textViolations(path, text, { charsMin: 1, charsMax: FIELD_BOUNDS.commandIdChars });

const STAGE_NAME = new RegExp(`^[a-z][a-z0-9-]{0,${FIELD_BOUNDS.stageNameChars - 1}}$`);
export const stageNameViolations: Check = (text, path = 'stage') =>
  STAGE_NAME.test(text)
    ? []
    : [
        {
          path,
          code: 'Malformed',
          message: `a letter, then letters, digits and dashes, all small, ${FIELD_BOUNDS.stageNameChars} at most`,
        },
      ];

const WHY_NOT = {
  length: 'an id has 13 symbols',
  symbol: 'no such symbol in an id',
  check: 'mistyped',
} as const;
export const offerIdViolations: Check = (text, path = 'offer_id') =>
  parseOfferId(text).match(
    () => [],
    ({ reason }) => [{ path, code: 'Malformed', message: WHY_NOT[reason] }],
  );

/** Opinions count from 1: 0 means that moderation has said nothing. */
export const opinionVersionViolations = (
  version: bigint | number,
  path = 'opinion_version',
): readonly Violation[] => wholeNumberViolations(path, version, { min: 1 });

/** The version that a caller has seen; 0 before the first. */
export const expectedVersionViolations = (
  version: bigint | number,
  path = 'expected_version',
): readonly Violation[] => wholeNumberViolations(path, version);

/** Numbers of a load of a feed: `task`, `generation`, `batch`, `ordinal`, `batches`, `offers`. */
export const feedNumberViolations = (number: bigint | number, path: string): readonly Violation[] =>
  wholeNumberViolations(path, number);

/** The bound of the price itself is a setting; this is what a store can keep. */
export const priceViolations = (
  minorUnits: bigint | number,
  minorUnitsMax: number,
  path = 'price.minor_units',
): readonly Violation[] => wholeNumberViolations(path, minorUnits, { max: minorUnitsMax });

const URL_SHAPE = /^https?:\/\/[^\s/]+\S*$/;
export const photoUrlViolations = (url: string, charsMax: number, path: string): readonly Violation[] =>
  url.length <= charsMax && URL_SHAPE.test(url) && textViolations(path, url, { charsMax }).length === 0
    ? []
    : [{ path, code: 'Malformed', message: `an http address of at most ${charsMax} characters` }];

const REASON: TextRules = { charsMin: 1, charsMax: FIELD_BOUNDS.reasonChars, lines: true };
/** Why an offer is banned. */
export const reasonsViolations = (reasons: readonly string[], path = 'reasons'): readonly Violation[] => [
  ...(reasons.length > FIELD_BOUNDS.reasons
    ? [{ path, code: 'TooMany', message: `at most ${FIELD_BOUNDS.reasons}` }]
    : []),
  ...reasons
    .slice(0, FIELD_BOUNDS.reasons)
    .flatMap((reason, i) => textViolations(`${path}[${i}]`, reason, REASON)),
];
