import { emptyRawOffer, type RawOffer, type RawProblem } from '@doska/core/feeds';
import { attributeMistakes, type Attributes } from './attribute-mistakes.ts';
import { textMistake, type ElementType } from './schema.ts';

type Open = {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** Undefined: the schema does not know the element; what is inside is not looked at. */
  readonly type: ElementType | undefined;
  /** Undefined: no elements inside yet. */
  counts: Map<string, number> | undefined;
  order: number;
  text: string;
  readonly attributes: Attributes;
};
/** What an offer is checked by. */
export type OfferRules = {
  readonly type: ElementType;
  readonly textCharsMax: number;
  readonly prefixes: ReadonlySet<string>;
};

/** Further problems of an offer are not kept: it is refused anyway, and it may have millions of them. */
const PROBLEMS_MAX = 100;

const FIELDS: ReadonlyMap<string, keyof RawOffer> = new Map([
  ['offer/title', 'title'],
  ['offer/category', 'category'],
  ['offer/description', 'description'],
  ['offer/price', 'price'],
  ['offer/place/address', 'address'],
  ['offer/place/latitude', 'latitude'],
  ['offer/place/longitude', 'longitude'],
  ['offer/contacts/name', 'contactName'],
  ['offer/contacts/phone', 'phone'],
  ['offer/contacts/email', 'email'],
]);
const PHOTOS = 'offer/photos';
const ATTRIBUTES = 'offer/attributes';

/** Paths of elements that the schema knows. A path that is put together anew each time costs more than the check itself. */
const NUMBERED_MAX = 1_000;
const paths = new Map<string, Map<string, string>>();
const knownPath = (parent: string, name: string): string => {
  let inside = paths.get(parent);
  if (!inside) paths.set(parent, (inside = new Map<string, string>()));
  let path = inside.get(name);
  if (path === undefined) inside.set(name, (path = `${parent}/${name}`));
  return path;
};

/** Collects one offer and checks it against the schema. Mistakes are problems of the offer. */
export class CheckedOffer {
  readonly #open: Open[] = [];
  readonly #problems: RawProblem[] = [];
  readonly #photos: string[] = [];
  readonly #attributes: { name: string; values: string[]; path: string }[] = [];
  readonly #fields: Partial<Record<keyof RawOffer, string>> = {};
  readonly #line: number;
  readonly #textCharsMax: number;
  readonly #prefixes: ReadonlySet<string>;

  constructor({ type, textCharsMax, prefixes }: OfferRules, attributes: Attributes, line: number) {
    this.#line = line;
    this.#textCharsMax = textCharsMax;
    this.#prefixes = prefixes;
    this.#push('offer', 'offer', type, attributes, line);
    const id = attributes['id'];
    if (id !== undefined && id.trim() !== '') this.#fields.id = id.trim();
  }
  #refuse(path: string, message: string, line: number, value?: string): void {
    if (this.#problems.length < PROBLEMS_MAX)
      this.#problems.push({ code: 'validation', path, message, value, line });
  }
  #push(
    name: string,
    path: string,
    type: ElementType | undefined,
    attributes: Attributes,
    line: number,
  ): void {
    if (type)
      for (const { name: key, message, value } of attributeMistakes(attributes, type, this.#prefixes))
        this.#refuse(`${path}/@${key}`, message, line, value);
    this.#open.push({ name, path, line, type, counts: undefined, order: -1, text: '', attributes });
  }
  open(name: string, attributes: Attributes, line: number): void {
    const parent = this.#open.at(-1)!;
    const use = parent.type?.elements.get(name);
    if (!use) {
      const unknown = `${parent.path}/${name}`;
      if (parent.type) this.#refuse(unknown, 'the schema has no such element here', line);
      return this.#push(name, unknown, undefined, attributes, line);
    }
    const base = knownPath(parent.path, name);
    parent.counts ??= new Map();
    const count = (parent.counts.get(name) ?? 0) + 1;
    parent.counts.set(name, count);
    const isNumbered = use.max > 1 && count <= Math.min(use.max, NUMBERED_MAX);
    const path = isNumbered ? knownPath(parent.path, `${name}[${count}]`) : base;
    if (count === use.max + 1) this.#refuse(base, `at most ${use.max} of these`, line);
    if (parent.type?.isOrdered && use.order < parent.order)
      this.#refuse(base, 'it stands in the wrong place', line);
    parent.order = Math.max(parent.order, use.order);
    // What is too many is not kept.
    this.#push(name, path, count > use.max ? undefined : use.type, attributes, line);
  }
  /** `isCdata`: as blanks it is no space between elements either. */
  text(text: string, isCdata = false): void {
    const at = this.#open.at(-1)!;
    if (!at.type) return;
    if (at.type.text) {
      if (at.text.length < this.#textCharsMax) at.text += text.slice(0, this.#textCharsMax - at.text.length);
    } else if (isCdata || text.trim() !== '')
      this.#refuse(at.path, 'there must be no text here', at.line, text.trim());
  }
  /** The finished offer when its own tag closes. */
  close(ordinal: number): RawOffer | undefined {
    const at = this.#open.pop()!;
    const parent = this.#open.at(-1);
    this.#finish(at, parent?.path);
    if (parent) return undefined;
    return {
      ...emptyRawOffer,
      ...this.#fields,
      ordinal,
      line: this.#line,
      photos: this.#photos,
      attributes: this.#attributes,
      problems: this.#problems,
    };
  }
  #finish({ type, path, line, text, counts, attributes }: Open, parent: string | undefined): void {
    if (!type) return;
    for (const name of type.required)
      if (!counts?.has(name)) this.#refuse(`${path}/${name}`, 'this element is required', line);
    if (!type.text) return;
    const mistake = textMistake(text, type.text);
    if (mistake !== undefined) this.#refuse(path, mistake, line, text);
    if (parent === PHOTOS) this.#photos.push(text);
    else if (parent === ATTRIBUTES) this.#attribute(attributes['name'] ?? '', text);
    else {
      const field = FIELDS.get(path);
      if (field) this.#fields[field] = text;
      if (field === 'price' && attributes['currency'] !== undefined)
        this.#fields.currency = attributes['currency'];
    }
  }
  #attribute(name: string, value: string): void {
    const known = this.#attributes.find((one) => one.name === name);
    if (known) known.values.push(value);
    else
      this.#attributes.push({ name, values: [value], path: `offer/attributes/attribute[@name="${name}"]` });
  }
}
