import { SaxesParser, type SaxesTagPlain } from 'saxes';

/** A type of text. */
export type SimpleType = {
  readonly minLength: number;
  readonly maxLength: number;
  /** Of a decimal number. */
  readonly range: { readonly min: number; readonly max: number } | undefined;
};
export type ElementType = {
  /** Undefined: the element has no text of its own, only elements. */
  readonly text: SimpleType | undefined;
  readonly elements: ReadonlyMap<string, ElementUse>;
  /** Elements that must be there. */
  readonly required: readonly string[];
  /** Elements must come in the order of the schema. */
  readonly isOrdered: boolean;
  readonly attributes: ReadonlyMap<string, { readonly type: SimpleType; readonly isRequired: boolean }>;
};
export type ElementUse = {
  readonly type: ElementType;
  readonly min: number;
  readonly max: number;
  readonly order: number;
};

type Node = {
  readonly tag: string;
  readonly attributes: Readonly<Record<string, string>>;
  readonly children: Node[];
};
const treeOf = (xsd: string): Node => {
  const root: Node = { tag: '', attributes: {}, children: [] };
  const open = [root];
  const parser = new SaxesParser();
  parser.on('opentag', ({ name, attributes }: SaxesTagPlain) => {
    const node: Node = { tag: name.replace(/^xs:/, ''), attributes, children: [] };
    open.at(-1)!.children.push(node);
    open.push(node);
  });
  parser.on('closetag', () => void open.pop());
  parser.write(xsd).close();
  return root.children[0]!;
};

const ANY_TEXT: SimpleType = { minLength: 0, maxLength: Infinity, range: undefined };
/** What the schema uses beyond this is a mistake of ours, so it throws. */
const unknown = ({ tag }: Node): never => {
  throw new Error(`the schema reader does not know ${tag}`);
};

/**
 * Compiles a schema: elements, named and nested complex types with `all` or `sequence` of elements, simple content with
 * attributes, and restrictions of strings and decimals by length and range.
 */
export const compileSchema = (xsd: string): { readonly root: string; readonly type: ElementType } => {
  const { children } = treeOf(xsd);
  const named = new Map(
    children.flatMap((node) => (node.attributes['name'] ? [[node.attributes['name'], node] as const] : [])),
  );
  const simpleOf = (name: string): SimpleType => {
    if (name === 'xs:string') return ANY_TEXT;
    if (name === 'xs:decimal') return { ...ANY_TEXT, range: { min: -Infinity, max: Infinity } };
    const restriction = named.get(name)?.children.find(({ tag }) => tag === 'restriction');
    if (!restriction) throw new Error(`the schema has no simple type ${name}`);
    return restriction.children.reduce<SimpleType>(
      (type, facet) => {
        const value = Number(facet.attributes['value']);
        const range = type.range ?? { min: -Infinity, max: Infinity };
        switch (facet.tag) {
          case 'minLength':
            return { ...type, minLength: value };
          case 'maxLength':
            return { ...type, maxLength: value };
          case 'minInclusive':
            return { ...type, range: { ...range, min: value } };
          case 'maxInclusive':
            return { ...type, range: { ...range, max: value } };
          default:
            return unknown(facet);
        }
      },
      simpleOf(restriction.attributes['base'] ?? ''),
    );
  };
  const attributesOf = (nodes: readonly Node[]): ElementType['attributes'] =>
    new Map(
      nodes
        .filter(({ tag }) => tag === 'attribute')
        .map(({ attributes }) => [
          attributes['name'] ?? '',
          { type: simpleOf(attributes['type'] ?? 'xs:string'), isRequired: attributes['use'] === 'required' },
        ]),
    );
  const complexOf = (node: Node): ElementType => {
    const simple = node.children.find(({ tag }) => tag === 'simpleContent')?.children[0];
    if (simple)
      return {
        text: simpleOf(simple.attributes['base'] ?? ''),
        elements: new Map(),
        required: [],
        isOrdered: false,
        attributes: attributesOf(simple.children),
      };
    const group = node.children.find(({ tag }) => tag === 'all' || tag === 'sequence');
    const uses = (group?.children ?? []).map((one, order) => {
      const { name = '', minOccurs = '1', maxOccurs = '1' } = one.attributes;
      const max = maxOccurs === 'unbounded' ? Infinity : Number(maxOccurs);
      if (Number(minOccurs) > 1) throw new Error(`minOccurs of ${name} is more than the schema reader knows`);
      return [name, { type: typeOf(one), min: Number(minOccurs), max, order }] as const;
    });
    return {
      text: undefined,
      elements: new Map(uses),
      required: uses.flatMap(([name, { min }]) => (min > 0 ? [name] : [])),
      isOrdered: group?.tag === 'sequence',
      attributes: attributesOf(node.children),
    };
  };
  const typeOf = (element: Node): ElementType => {
    const nested = element.children.find(({ tag }) => tag === 'complexType');
    if (nested) return complexOf(nested);
    const name = element.attributes['type'] ?? 'xs:string';
    const type = named.get(name);
    return type?.tag === 'complexType'
      ? complexOf(type)
      : { text: simpleOf(name), elements: new Map(), required: [], isOrdered: false, attributes: new Map() };
  };
  const root = children.find(({ tag }) => tag === 'element');
  if (!root) throw new Error('the schema has no element');
  return { root: root.attributes['name'] ?? '', type: typeOf(root) };
};

/** Validators of XSD must know 18 digits of a decimal; libxml2 knows 24, and so do we. */
const DIGITS_MAX = 24;
const DECIMAL = /^([+-]?)0*(\d*)(?:\.(\d*))?$/;
/** A decimal as a whole number of its smallest digit; exact, as a comparison of floating-point numbers is not. */
const exactDecimal = (text: string): bigint | undefined => {
  if (!/\d/.test(text)) return undefined;
  const [matched, sign, whole = '', fraction = ''] = DECIMAL.exec(text) ?? [];
  if (matched === undefined || whole.length + fraction.length > DIGITS_MAX) return undefined;
  const value = BigInt(whole + fraction.padEnd(DIGITS_MAX, '0'));
  return sign === '-' ? -value : value;
};
const isWithin = (value: bigint, { min, max }: { readonly min: number; readonly max: number }): boolean =>
  (min === -Infinity || value >= exactDecimal(String(min))!) &&
  (max === Infinity || value <= exactDecimal(String(max))!);

/** What is wrong with a text, in words; undefined: nothing. */
export const textMistake = (
  text: string,
  { minLength, maxLength, range }: SimpleType,
): string | undefined => {
  if (range) {
    const value = exactDecimal(text.trim());
    if (value === undefined) return `a number is expected, of at most ${DIGITS_MAX} digits`;
    return isWithin(value, range) ? undefined : `a number from ${range.min} to ${range.max} is expected`;
  }
  const length = text.length <= maxLength ? text.length : [...text].length;
  if (length < minLength)
    return minLength === 1 ? 'it must not be empty' : `at least ${minLength} characters`;
  return length > maxLength ? `at most ${maxLength} characters` : undefined;
};
