/** Spaces that people put between thousands. */
const SPACES = /[\s\u00a0\u202f\u2009']/g;
const PLAIN = /^[+-]?\d+(?:\.\d+)?$/;

/**
 * A number as people write it: «8 990,50», «1.5», «12 000». A comma or a dot before the last one or two digits is the decimal
 * point; before three digits it separates thousands if there is another one before it. Undefined: it is no number.
 */
export const parseNumber = (text: string): number | undefined => {
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

/** What a unit is in the base unit of its kind; units of one kind can be converted. */
const UNITS: Readonly<Record<string, readonly [kind: string, factor: number]>> = {
  мм: ['length', 0.001],
  mm: ['length', 0.001],
  см: ['length', 0.01],
  cm: ['length', 0.01],
  м: ['length', 1],
  m: ['length', 1],
  км: ['length', 1_000],
  km: ['length', 1_000],
  г: ['mass', 0.001],
  g: ['mass', 0.001],
  кг: ['mass', 1],
  kg: ['mass', 1],
  т: ['mass', 1_000],
  t: ['mass', 1_000],
  мл: ['volume', 0.001],
  ml: ['volume', 0.001],
  л: ['volume', 1],
  l: ['volume', 1],
  мб: ['memory', 1 / 1_024],
  mb: ['memory', 1 / 1_024],
  гб: ['memory', 1],
  gb: ['memory', 1],
  тб: ['memory', 1_024],
  tb: ['memory', 1_024],
};
/** «1,5 л», «12 000 км» in the unit that is wanted. A unit that is not known is taken as the wanted one. */
export const parseMeasure = (text: string, unit: string | undefined): number | undefined => {
  const [, number = '', given = ''] =
    /^([\s\d.,'\u00a0\u202f\u2009+-]+?)\s*([^\s\d.,]*)\.?$/u.exec(text.trim()) ?? [];
  const value = parseNumber(number);
  if (value === undefined) return undefined;
  const from = UNITS[given.toLowerCase()];
  const to = unit === undefined ? undefined : UNITS[unit.toLowerCase()];
  if (!from || !to || from[0] !== to[0]) return value;
  return Number(((value * from[1]) / to[1]).toPrecision(12));
};
