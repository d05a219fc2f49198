type Line = {
  readonly level: string;
  readonly time: string;
  readonly service: string;
  readonly message?: string;
};

const shown = (value: unknown): string =>
  typeof value === 'string' && !/[\s"]/.test(value) ? value : JSON.stringify(value);

const stacks = (value: unknown): readonly string[] => {
  if (typeof value !== 'object' || value === null) return [];
  const { stack, ...rest } = value as Record<string, unknown>;
  return [...(typeof stack === 'string' ? [stack] : []), ...Object.values(rest).flatMap(stacks)];
};
const withoutStacks = (value: unknown): unknown => {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
  const { stack: _, ...rest } = value as Record<string, unknown>;
  return Object.fromEntries(Object.entries(rest).map(([key, item]) => [key, withoutStacks(item)]));
};

/** A JSON line as a person reads it: time, level, words, then fields; stacks on lines of their own. */
export const prettyLine = (json: string): string => {
  const {
    level,
    time,
    service,
    message = '',
    ...fields
  } = JSON.parse(json) as Line & Record<string, unknown>;
  const pairs = Object.entries(fields).map(([key, value]) => `${key}=${shown(withoutStacks(value))}`);
  const head = [time.slice(11, 23), level.toUpperCase().padEnd(5), service, message, ...pairs].join(' ');
  return `${[head, ...stacks(fields)].join('\n')}\n`;
};
