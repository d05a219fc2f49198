import { emptyRawOffer, type RawOffer, type RawProblem } from '@doska/core/feeds';
import { attributeMistakes, type Attributes } from './attribute-mistakes.ts';
import { textMistake, type ElementType } from './schema.ts';

type Open = {
  readonly name: string;
  readonly path: string;
  readonly line: number;
  /** Undefined: the schema does not know the element; what is inside is not looked at. */
  readonly type: ElementType | undefined;
  readonly counts: Map<string, number>;
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

const FIELDS: Readonly<Record<string, keyof RawOffer>> = {
  'offer/title': 'title',
  'offer/category': 'category',
  'offer/description': 'description',
  'offer/price': 'price',
  'offer/place/address': 'address',
  'offer/place/latitude': 'latitude',
  'offer/place/longitude': 'longitude',
  'offer/contacts/name': 'contactName',
  'offer/contacts/phone': 'phone',
  'offer/contacts/email': 'email',
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
    this.#open.push({ name, path, line, type, counts: new Map(), order: -1, text: '', attributes });
  }
  open(name: string, attributes: Attributes, line: number): void {
    const parent = this.#open.at(-1)!;
    const use = parent.type?.elements.get(name);
    const base = `${parent.path}/${name}`;
    if (!use) {
      if (parent.type) this.#refuse(base, 'the schema has no such element here', line);
      return this.#push(name, base, undefined, attributes, line);
    }
    const count = (parent.counts.get(name) ?? 0) + 1;
    parent.counts.set(name, count);
    const path = use.max > 1 ? `${base}[${count}]` : base;
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
    this.#finish(at);
    if (this.#open.length > 0) return undefined;
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
  #finish({ type, path, line, text, counts, attributes }: Open): void {
    if (!type) return;
    for (const [name, { min }] of type.elements)
      if ((counts.get(name) ?? 0) < min) this.#refuse(`${path}/${name}`, 'this element is required', line);
    if (!type.text) return;
    const mistake = textMistake(text, type.text);
    if (mistake !== undefined) this.#refuse(path, mistake, line, text);
    const field = FIELDS[path];
    if (field) this.#fields[field] = text;
    if (path === 'offer/price' && attributes['currency'] !== undefined)
      this.#fields.currency = attributes['currency'];
    if (path.startsWith('offer/photos/photo[')) this.#photos.push(text);
    if (path.startsWith('offer/attributes/attribute[')) this.#attribute(attributes['name'] ?? '', text);
  }
  #attribute(name: string, value: string): void {
    const known = this.#attributes.find((one) => one.name === name);
    if (known) known.values.push(value);
    else
      this.#attributes.push({ name, values: [value], path: `offer/attributes/attribute[@name="${name}"]` });
  }
}
