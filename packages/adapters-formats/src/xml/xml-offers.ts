import { readFileSync } from 'node:fs';
import type { RawOffer, RawProblem, ReadLimits } from '@doska/core/feeds';
import { SaxesParser, type SaxesTagPlain } from 'saxes';
import { FileProblem } from '../broken.ts';
import { attributeMistakes, schemaPrefixes } from './attribute-mistakes.ts';
import { CheckedOffer } from './checked-offer.ts';
import { HTML_ENTITIES } from './html-entities.ts';
import { compileSchema } from './schema.ts';

const schema = compileSchema(readFileSync(new URL('../../schema/feed.xsd', import.meta.url), 'utf8'));
const OFFER = schema.type.elements.get('offer')!.type;
/** So many characters of a tag, a comment or anything else that is no text: the parser would keep all of them. */
const TOKEN_CHARS_MAX = 4 << 20;
/** A text that is longer is taken from the parser in pieces. */
const TEXT_CHARS_KEPT = 1 << 18;

/** What saxes has collected and in which state it stands. It has no public way to hand over a text in pieces. */
const insideOf = (parser: object): { text: string; readonly state: unknown } =>
  parser as { text: string; state: unknown };
/** Numbers of states differ from version to version: a parser that was brought there says them. */
const stateAfter = (text: string): unknown => {
  const parser = new SaxesParser();
  parser.on('text', () => {});
  parser.write(text);
  return insideOf(parser).state;
};
const IN_TEXT = stateAfter('<a>t');
const IN_CDATA = stateAfter('<a><![CDATA[t');

export type OfferParser = {
  /** Offers that the text finished. Throws `FileProblem`. */
  readonly write: (text: string) => {
    readonly offers: readonly RawOffer[];
    readonly warnings: readonly RawProblem[];
  };
  readonly close: () => void;
};

/** Parses our XML. What is wrong inside of an offer is a problem of that offer; everything else ends the file. */
export const offerParser = (limits: ReadLimits): OfferParser => {
  const parser = new SaxesParser({ position: true, xmlns: false as const });
  let offers: RawOffer[] = [];
  let warnings: RawProblem[] = [];
  let offer: CheckedOffer | undefined;
  let ordinal = 0;
  let depth = 0;
  let quiet = 0;
  let hasWarned = false;
  let prefixes: ReadonlySet<string> = new Set();
  const place = () => ({ line: parser.line, column: parser.column });
  const broken = (code: string, message: string): never => {
    throw new FileProblem(code, message, place());
  };
  for (const [name, text] of Object.entries(HTML_ENTITIES))
    Object.defineProperty(parser.ENTITIES, name, {
      get: () => {
        if (!hasWarned)
          warnings.push({
            code: 'validation',
            path: 'feed',
            message: `&${name}; is an entity of HTML, not of XML; it was taken as what it means`,
            line: parser.line,
            level: 'warning',
          });
        hasWarned = true;
        return text;
      },
    });
  parser.on('error', (error) => {
    throw new FileProblem('xml', error.message.replace(/^\d+:\d+: /, ''), place());
  });
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    quiet = 0;
    depth += 1;
    if (depth > limits.depthMax) broken('TooDeep', `at most ${limits.depthMax} elements inside each other`);
    if (name.length > limits.nameCharsMax)
      broken('TooLong', `a name has at most ${limits.nameCharsMax} characters`);
    const keys = Object.keys(attributes);
    if (keys.length > limits.attributesMax)
      broken('TooMany', `at most ${limits.attributesMax} attributes of an element`);
    for (const key of keys)
      if (attributes[key]!.length > limits.attributeCharsMax)
        broken('TooLong', `an attribute has at most ${limits.attributeCharsMax} characters`);
    if (offer) return offer.open(name, attributes, parser.line);
    if (depth === 1) {
      const isHtml = /^html$/i.test(name);
      if (name !== schema.root)
        broken(
          'xsd',
          isHtml
            ? 'this is an HTML page, not a feed'
            : `the root element must be ${schema.root}, not ${name}`,
        );
      prefixes = schemaPrefixes(attributes);
      const [mistake] = attributeMistakes(attributes, schema.type, prefixes);
      if (mistake) broken('xsd', `${schema.root}/@${mistake.name}: ${mistake.message}`);
      return undefined;
    }
    if (name !== 'offer') broken('xsd', `${schema.root} may only have offer, not ${name}`);
    if (ordinal >= limits.offersMax) broken('TooMany', `at most ${limits.offersMax} offers`);
    const rules = { type: OFFER, textCharsMax: limits.textCharsMax, prefixes };
    offer = new CheckedOffer(rules, attributes, parser.line);
    return undefined;
  });
  const onText = (text: string, isCdata: boolean): void => {
    quiet = 0;
    if (offer) offer.text(text, isCdata);
    else if (isCdata || text.trim() !== '') broken('xsd', `there must be no text between offers`);
  };
  parser.on('text', (text) => onText(text, false));
  parser.on('cdata', (text) => onText(text, true));
  parser.on('closetag', () => {
    quiet = 0;
    depth -= 1;
    const finished = offer?.close(ordinal);
    if (!finished) return;
    offers.push(finished);
    offer = undefined;
    ordinal += 1;
  });
  const takeLongText = (): void => {
    const inside = insideOf(parser);
    const { text, state } = inside;
    if ((state !== IN_TEXT && state !== IN_CDATA) || text.length <= TEXT_CHARS_KEPT) return;
    inside.text = '';
    onText(text, state === IN_CDATA);
  };
  return {
    write: (text) => {
      quiet += text.length;
      parser.write(text);
      takeLongText();
      if (quiet > TOKEN_CHARS_MAX)
        broken('TooLong', `a tag or a text has at most ${TOKEN_CHARS_MAX} characters`);
      const made = { offers, warnings };
      offers = [];
      warnings = [];
      return made;
    },
    close: () => void parser.close(),
  };
};
