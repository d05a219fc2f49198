/** Spaces that people put between thousands. */
const SPACES = /[\s\u00a0\u202f\u2009']/g;
/** What is longer is no number. The patterns below take a time that grows with the square of the length. */
const NUMBER_CHARS_MAX = 200;
const PLAIN = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * A number as people write it: «8 990,50», «1.5», «12 000». A comma or a dot before the last one or two digits is the decimal
 * point; before three digits it separates thousands if there is another one before it. Undefined: it is no number.
 */
export const parseNumber = (text: string): number | undefined => {
  if (text.length > NUMBER_CHARS_MAX) return undefined;
  const packed = text.trim().replace(SPACES, '');
  if (!/^[+-]?\d[\d.,]*$/.test(packed)) return undefined;
  const marks = packed.match(/[.,]/g) ?? [];
  const last = Math.max(packed.lastIndexOf('.'), packed.lastIndexOf(','));
  const isThousands = marks.length > 1 && new Set(marks).size === 1;
  const normal = isThousands
    ? packed.replace(/[.,]/g, '')
    : last < 0
      ? packed
      : `${packed.slice(0, last).replace(/[.,]/g, '')}.${packed.slice(last + 1)}`;
  if (!PLAIN.test(normal)) return undefined;
  if (isThousands && !/^[+-]?\d{1,3}([.,]\d{3})+$/.test(packed)) return undefined;
  const value = Number(normal);
  return Number.isFinite(value) ? value : undefined;
};

const CURRENCIES: Readonly<Record<string, string>> = {
  RUR: 'RUB',
  '₽': 'RUB',
  РУБ: 'RUB',
  'РУБ.': 'RUB',
  'Р.': 'RUB',
  $: 'USD',
  '€': 'EUR',
};
export const currencyOf = (text: string): string => {
  const name = text.trim().toUpperCase();
  return CURRENCIES[name] ?? name;
};

/** «8 990,50 ₽» as minor units and, if it is named, the currency. Undefined: it is no price. */
export const parsePrice = (
  text: string,
): { readonly minorUnits: number; readonly currency: string | undefined } | undefined => {
  if (text.length > NUMBER_CHARS_MAX) return undefined;
  const [, number = '', unit = ''] = /^([\s\d.,'\u00a0\u202f\u2009+-]+)(.{0,10})$/u.exec(text.trim()) ?? [];
  const value = parseNumber(number);
  if (value === undefined || value < 0) return undefined;
  const minorUnits = Math.round(value * 100);
  return Number.isSafeInteger(minorUnits)
    ? { minorUnits, currency: unit.trim() === '' ? undefined : currencyOf(unit) }
    : undefined;
};

const YES = new Set(['да', 'yes', 'true', '1', 'есть', '+']);
const NO = new Set(['нет', 'no', 'false', '0', '-']);
export const parseYesNo = (text: string): boolean | undefined => {
  const word = text.trim().toLowerCase();
  if (YES.has(word)) return true;
  return NO.has(word) ? false : undefined;
};

type Unit = readonly [kind: string, factor: number];
/** What a unit is in the base unit of its kind; units of one kind can be converted. */
const KINDS: Readonly<Record<string, Readonly<Record<string, readonly string[]>>>> = {
  length: {
    '0.001': ['мм', 'mm'],
    '0.01': ['см', 'cm'],
    '1': ['м', 'm'],
    '1000': ['км', 'km'],
    '0.0254': ['″', '"', 'дюйм', 'дюйма', 'дюймов', 'дюймовый', 'inch', 'inches'],
  },
  mass: { '0.001': ['г', 'g'], '1': ['кг', 'kg'], '1000': ['т', 't'] },
  volume: { '0.001': ['мл', 'ml'], '1': ['л', 'l'] },
  memory: { [String(1 / 1_024)]: ['мб', 'mb'], '1': ['гб', 'gb'], '1024': ['тб', 'tb'] },
  area: {
    '1': ['м²', 'м2', 'квм', 'm²', 'm2', 'sqm'],
    '100': ['сот', 'сотка', 'сотки', 'соток'],
    '10000': ['га', 'ha'],
  },
  power: { '1': ['вт', 'w'], '1000': ['квт', 'kw'], '735.49875': ['лс', 'hp'] },
  age: { '1': ['мес', 'месяц', 'месяца', 'месяцев'], '12': ['лет', 'год', 'года', 'years'] },
  time: { '1': ['ч', 'час', 'часа', 'часов', 'h'] },
  voltage: { '1': ['в', 'v'] },
  frequency: { '1': ['гц', 'hz'] },
  pixels: { '1': ['мп', 'mp'] },
  share: { '1': ['%'] },
  money: { '1': ['₽', 'руб', 'р'] },
};
const UNITS: ReadonlyMap<string, Unit> = new Map(
  Object.entries(KINDS).flatMap(([kind, byFactor]) =>
    Object.entries(byFactor).flatMap(([factor, names]) =>
      names.map((name) => [name, [kind, Number(factor)]] as const),
    ),
  ),
);
const unitOf = (text: string): Unit | undefined => UNITS.get(text.toLowerCase().replace(/[\s.]/g, ''));
/** Whether a unit that people write is of the same kind as the wanted one. */
export const isSameUnit = (given: string, wanted: string | undefined): boolean => {
  const from = unitOf(given);
  return from !== undefined && wanted !== undefined && from[0] === unitOf(wanted)?.[0];
};
/** «1,5 л», «12 000 км» in the unit that is wanted. A unit that is not known is taken as the wanted one. */
export const parseMeasure = (text: string, unit: string | undefined): number | undefined => {
  if (text.length > NUMBER_CHARS_MAX) return undefined;
  const [, number = '', given = ''] =
    /^([\s\d.,'\u00a0\u202f\u2009+-]*\d)[.,]?\s*([^\d]*(?:[мm]\s?2)?)$/iu.exec(text.trim()) ?? [];
  const value = parseNumber(number);
  if (value === undefined) return undefined;
  const from = unitOf(given);
  const to = unit === undefined ? undefined : unitOf(unit);
  if (!from || !to) return value;
  return from[0] === to[0] ? Number(((value * from[1]) / to[1]).toPrecision(12)) : undefined;
};
